import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'

const FOLDER = new URL('../../../../../embed/src/browser/', import.meta.url)
/** Stands in the sources for the build, which is known only when all of them are bundled. */
const BUILD = '@build@'

type Plugin = Parameters<typeof Bun.build>[0]['plugins'] extends readonly (infer Each)[] | undefined ? Each : never

const compactStylesheets: Plugin = {
  name: 'compact stylesheets',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: compactCss(await Bun.file(path).text()),
      loader: 'text',
    }))
  },
}

/** Stays inside: a build calls every export of this file and keeps its result. */
const PARTS = ['campaign', 'brand', 'after', 'before', 'ask', 'code', 'dress', 'later', 'receipt'] as const

/** `build` names exactly these scripts: parts of another build do not fit. */
type ElementScripts = Readonly<Record<'build' | 'embed' | (typeof PARTS)[number], string>>

/** Bundles `/embed.js` and its parts from their sources at the first request, in some hundredths of a second. */
export async function buildElementScripts(): Promise<ElementScripts> {
  const shared = await takeShared()
  const embed = bundle('embed.ts', [])
  const scripts = await Promise.all([embed, ...PARTS.map((part) => bundle(`entries/${part}.ts`, [shared]))])
  const build = createHash('sha256').update(scripts.join('')).digest('base64url').slice(0, 12)
  const finished = scripts.map((script, i) => [['embed', ...PARTS][i], script.replaceAll(BUILD, build)])
  return { build, ...Object.fromEntries(finished) }
}

/** Bundles the script that solves challenges. */
export const buildSolver = (): Promise<string> => bundle('solve.ts', [])

/** Bundles the script of a poll on a stage. */
export const buildStage = (): Promise<string> => bundle('stage.ts', [])

/** Bundles the script of the page that checks a count. */
export const buildCheck = (): Promise<string> => bundle('check/check.ts', [])

async function bundle(entry: string, plugins: readonly Plugin[]): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(new URL(entry, FOLDER))],
    target: 'browser',
    format: 'esm',
    minify: true,
    banner: '//# allFunctionsCalledOnLoad',
    plugins: [compactStylesheets, ...plugins],
  })
  const [script] = outputs
  if (!script) throw new Error(`bundling ${entry} produced no script`)
  return script.text()
}

/**
 * A part has no copy of what `once.ts` lists: its modules take that from the place where `/embed.js` puts it, because
 * the page must have one language, one device and one queue of votes.
 */
async function takeShared(): Promise<Plugin> {
  const reader = new Bun.Transpiler({ loader: 'ts' })
  const list = new URL('once.ts', FOLDER)
  const text = await Bun.file(list).text()
  const paths = new Set(reader.scanImports(text).map(({ path }) => fileURLToPath(new URL(path, list))))
  const listed: readonly string[] = text.slice(text.lastIndexOf('[')).match(/\w+/g) ?? []
  return {
    name: 'shared modules',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await Bun.file(path).text()
        if (!paths.has(path)) return { contents: source, loader: 'ts' }
        const taken = reader
          .scan(source)
          .exports.filter((name) => listed.includes(name))
          .map((name) => `${listed.indexOf(name)}: ${name}`)
        const place = `globalThis[Symbol.for(${JSON.stringify(`tossup ${BUILD}`)})]`
        return { contents: `export const { ${taken.join(', ')} } = ${place}`, loader: 'ts' }
      })
    },
  }
}
