// A build calls each function of this file once and keeps its result: see server/tools/build/frozen-modules.ts.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ownCommand } from '../../../base/own-program.ts'

export interface BuiltDocs {
  readonly hash: string
  /** By their addresses, pictures and archives in base64. */
  readonly files: Readonly<Record<string, string>>
}

const TOOL = new URL('../../../../tools/docs/build-docs.ts', import.meta.url)

/** Runs the tool that renders the docs, in a process of its own: votes are answered in the meantime. */
export async function buildDocs(): Promise<BuiltDocs> {
  const child = Bun.spawn(ownCommand(TOOL), { cwd: fileURLToPath(new URL('.', TOOL)), env: {}, stdin: 'ignore' })
  const [text, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`building the docs failed with exit code ${code}`)
  return JSON.parse(text)
}

/** The icon of the service in base64, by its ending. */
export const favicons = (): Readonly<Record<'svg' | 'ico', string>> => ({
  svg: readFileSync(new URL('favicon.svg', import.meta.url), 'base64'),
  ico: readFileSync(new URL('favicon.ico', import.meta.url), 'base64'),
})
