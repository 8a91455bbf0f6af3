import { LANGS, type Lang } from '../../../../embed/src/words.ts'
import { type Asset, assetOf } from '../../http/answers/reply.ts'
import { bundleConsole } from './bundle.ts'

export interface ConsoleFile {
  readonly contentType: 'text/css' | 'text/javascript'
  readonly asset: Asset
}

export interface ConsoleBuild {
  /** The names of the two files that the document names. */
  readonly script: string
  readonly styles: string
  /** Modules that `script` imports before anything else runs. */
  readonly imports: readonly string[]
  /** The texts of the console, of which a browser loads one language. */
  readonly languages: readonly { readonly lang: Lang; readonly name: string }[]
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** The bundle as it is served. */
export async function buildConsole(): Promise<ConsoleBuild> {
  const files = new Map<string, ConsoleFile>()
  const entries: string[] = []
  for (const { name, text, isEntry } of await bundleConsole()) {
    const contentType = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    if (isEntry || name.endsWith('.css')) entries.push(name)
    files.set(name, { contentType, asset: assetOf(text) })
  }
  const script = nameOf(entries, 'main', '.js')
  const imports = [...importsOf(files, script, new Set([script]))]
  return { script, styles: nameOf(entries, 'console', '.css'), imports, languages: languagesOf(files), files }
}

function nameOf(entries: readonly string[], start: string, end: string): string {
  const name = entries.find((each) => each.startsWith(`${start}-`) && each.endsWith(end))
  if (name === undefined) throw new Error(`bundling the console produced no ${start}${end}`)
  return name
}

/** The file of each language is `texts.LANG-HASH.js`. */
const languagesOf = (files: ReadonlyMap<string, ConsoleFile>) =>
  LANGS.flatMap((lang) =>
    [...files.keys()].filter((name) => name.startsWith(`texts.${lang}-`)).map((name) => ({ lang, name })),
  )

/** Static imports only, at any depth, so that a browser can load all of them at once. */
function importsOf(files: ReadonlyMap<string, ConsoleFile>, name: string, known: Set<string>): Set<string> {
  const found = new Set<string>()
  const text = files.get(name)?.asset.text ?? ''
  for (const { path, kind } of new Bun.Transpiler({ loader: 'js' }).scanImports(text)) {
    const imported = path.split('/').at(-1) ?? ''
    if (kind !== 'import-statement' || known.has(imported)) continue
    known.add(imported)
    for (const each of [imported, ...importsOf(files, imported, known)]) found.add(each)
  }
  return found
}
