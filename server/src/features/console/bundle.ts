// A build calls each function of this file once and keeps its result: see server/tools/build/frozen-modules.ts.
import { fileURLToPath } from 'node:url'
import { ASSETS_PATH } from './assets-path.ts'

const FOLDER = new URL('../../../../console/src/', import.meta.url)

type Texts = { readonly [name: string]: string | Texts }

/** The English text stands where a translation lacks one. */
function withEnglish(english: Texts, own: Texts): Texts {
  const texts = Object.entries(english).map(([name, text]) => {
    const translated = own[name]
    if (typeof text === 'string') return [name, translated ?? text]
    return [name, withEnglish(text, (translated ?? {}) as Texts)]
  })
  return Object.fromEntries(texts)
}

const TRANSLATION = /\/translations\/(\w+)\/(\w+)\.\1\.ts$/

const completeTranslations: Bun.BunPlugin = {
  name: 'complete translations',
  setup({ onLoad }) {
    onLoad({ filter: TRANSLATION }, async ({ path }) => {
      const [english, own] = await Promise.all([
        import(path.replace(TRANSLATION, '/translations/en/$2.en.ts')),
        import(path),
      ])
      const texts = withEnglish(english.translation, own.translation)
      return { contents: `export const translation = ${JSON.stringify(texts)}`, loader: 'js' }
    })
  },
}

export interface BundledFile {
  readonly name: string
  readonly text: string
  readonly isEntry: boolean
}

/** Bundles the console from its sources: a script for each page, whose names change with their content. */
export async function bundleConsole(): Promise<readonly BundledFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: ['main.tsx', 'console.css'].map((entry) => fileURLToPath(new URL(entry, FOLDER))),
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    publicPath: ASSETS_PATH,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [completeTranslations],
    jsx: { runtime: 'automatic', importSource: 'react', development: false },
  })
  return Promise.all(
    outputs.map(async (output) => ({
      name: output.path.split('/').at(-1) ?? '',
      text: await output.text(),
      isEntry: output.kind === 'entry-point',
    })),
  )
}
