import { readFileSync } from 'node:fs'
import type { BunPlugin } from 'bun'

const BESIDE = 'new URL("harfbuzz.wasm",import.meta.url)'

/** harfbuzzjs looks for its WebAssembly beside itself, where a build has none: the build contains the file, and its path. */
export const harfbuzzFile: BunPlugin = {
  name: 'harfbuzz file',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]harfbuzzjs[\\/]dist[\\/]harfbuzz\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(BESIDE)) throw new Error(`${path} does not name its WebAssembly as expected`)
      const contents = `import wasm from './harfbuzz.wasm' with { type: 'file' }\n${text.replaceAll(BESIDE, 'new URL(wasm,import.meta.url)')}`
      return { contents, loader: 'js' }
    })
  },
}
