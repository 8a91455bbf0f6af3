import { fileURLToPath } from 'node:url'
import { compactCss } from '../../../../embed/src/compact-css.ts'

const ENTRY = fileURLToPath(new URL('../../../../embed/src/browser/embed.ts', import.meta.url))

/** Bundles `/embed.js` from its sources at the first request, in some hundredths of a second. */
export async function buildBrowserScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    target: 'browser',
    format: 'esm',
    minify: true,
    plugins: [
      {
        name: 'compact stylesheets',
        setup({ onLoad }) {
          onLoad({ filter: /\.css$/ }, async ({ path }) => ({
            contents: compactCss(await Bun.file(path).text()),
            loader: 'text',
          }))
        },
      },
    ],
  })
  const [script] = outputs
  if (!script) throw new Error('the script of the embeds could not be put together')
  return script.text()
}
