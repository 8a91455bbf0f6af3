import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import cyrillicExt from '@fontsource-variable/manrope/files/manrope-cyrillic-ext-wght-normal.woff2' with {
  type: 'file',
}
import cyrillic from '@fontsource-variable/manrope/files/manrope-cyrillic-wght-normal.woff2' with { type: 'file' }
import greek from '@fontsource-variable/manrope/files/manrope-greek-wght-normal.woff2' with { type: 'file' }
import latinExt from '@fontsource-variable/manrope/files/manrope-latin-ext-wght-normal.woff2' with { type: 'file' }
import latin from '@fontsource-variable/manrope/files/manrope-latin-wght-normal.woff2' with { type: 'file' }
import vietnamese from '@fontsource-variable/manrope/files/manrope-vietnamese-wght-normal.woff2' with { type: 'file' }
import { z } from 'zod'
import {
  TYPEFACE_SUBSETS,
  TYPEFACE_VERSION,
  type TypefaceSubset,
  typefaceAddress,
} from '../../../../../embed/src/theme/typeface.ts'
import { notFound } from '../../../base/errors.ts'
import { textLike } from '../../../base/fields.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { outside, type Route, route } from '../../../http/route.ts'

const SUBSETS = Object.keys(TYPEFACE_SUBSETS) as TypefaceSubset[]
const FOLDER = typefaceAddress('latin').replace(/[^/]*$/, '')
const nameOf = (subset: TypefaceSubset): string => typefaceAddress(subset).slice(FOLDER.length)

const FILES: Readonly<Record<TypefaceSubset, string>> = {
  'cyrillic-ext': cyrillicExt,
  cyrillic,
  greek,
  vietnamese,
  'latin-ext': latinExt,
  latin,
}

/** The files of the typeface, from npm, each read when it is first asked for: 75 KB in all. */
export function fontRoutes(): Route[] {
  const kept = new Map<TypefaceSubset, { readonly body: Blob; readonly etag: string }>()

  async function read(subset: TypefaceSubset) {
    const bytes = new Uint8Array(await readFile(resolve(import.meta.dir, FILES[subset])))
    const font = { body: new Blob([bytes]), etag: etagOf(bytes) }
    kept.set(subset, font)
    return font
  }

  return [
    route({
      ...outside,
      path: '/embed/fonts/{file}',
      name: 'getEmbedFont',
      params: z.object({
        file: textLike(/^[\w.-]{1,64}$/, 'The name of the file.', nameOf('latin')),
      }),
      answers: {
        200: {
          description: `Manrope ${TYPEFACE_VERSION}, under the SIL Open Font License, as WOFF2.`,
          contentType: 'font/woff2',
          headers: { always: ['ETag', 'Cross-Origin-Resource-Policy'] },
        },
      },
      errors: ['NOT_FOUND'],
      async handle({ params: { file } }) {
        const subset = SUBSETS.find((each) => nameOf(each) === file)
        if (!subset) throw notFound()
        const { body, etag } = kept.get(subset) ?? (await read(subset))
        const headers = {
          'Content-Type': 'font/woff2',
          'Cross-Origin-Resource-Policy': 'cross-origin',
          'Cache-Control': 'public, max-age=31536000, immutable',
          ETag: etag,
        }
        return { status: 200, body, headers }
      },
    }),
  ]
}
