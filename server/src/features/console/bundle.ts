// A build calls each function of this file once and keeps its result: see server/tools/build/frozen-modules.ts.
import { fileURLToPath } from 'node:url'
import { ASSETS_PATH } from './assets-path.ts'

const FOLDER = new URL('../../../../console/src/', import.meta.url)
const ENGLISH = new URL('words/en.ts', FOLDER)

type Texts = { readonly [name: string]: string | Texts }

/** What a translation lacks is in English. */
const completed = (english: Texts, translation: Texts): Texts =>
  Object.fromEntries(
    Object.entries(english).map(([name, text]) => {
      const translated = translation[name]
      return [name, typeof text === 'string' ? (translated ?? text) : completed(text, (translated ?? {}) as Texts)]
    }),
  )

/** Completes translations at build time, so that a browser loads the texts of one language alone. */
const translations: Bun.BunPlugin = {
  name: 'translations',
  setup(build) {
    build.onLoad({ filter: /console[\\/]src[\\/]words[\\/]translations[\\/]texts\.\w+\.ts$/ }, async ({ path }) => {
      const [{ en }, { translation }] = (await Promise.all([import(ENGLISH.href), import(path)])) as [
        { en: Texts },
        { translation: Texts },
      ]
      return { contents: `export const translation = ${JSON.stringify(completed(en, translation))}`, loader: 'js' }
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
    plugins: [translations],
    publicPath: ASSETS_PATH,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
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
