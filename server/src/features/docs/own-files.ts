// A build calls each function of this file once and keeps its result: see server/tools/build/frozen-modules.ts.
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { DOC_GROUPS } from './catalogue.ts'

const ROOT = new URL('../../../../', import.meta.url)
const PICTURES = new URL('docs/guides/images/', ROOT)

/** The texts of the docs in Markdown, by their paths in the repository. */
export const docTexts = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    DOC_GROUPS.flatMap(({ docs }) => docs).map(({ file }) => [file, readFileSync(new URL(file, ROOT), 'utf8')]),
  )

/** The pictures of the guides in base64, by the names of their files. */
export const docPictures = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(PICTURES, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:webp|jpg|png|svg)$/.test(file))
      .map((file) => [basename(file), readFileSync(new URL(file, PICTURES), 'base64')]),
  )

/** The icon of the service in base64, by its ending. */
export const favicons = (): Readonly<Record<'svg' | 'ico', string>> => ({
  svg: readFileSync(new URL('favicon.svg', import.meta.url), 'base64'),
  ico: readFileSync(new URL('favicon.ico', import.meta.url), 'base64'),
})
