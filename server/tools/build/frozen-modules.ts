import { join } from 'node:path'
import type { BunPlugin } from 'bun'

const ROOT = new URL('../../../', import.meta.url).pathname

/**
 * Modules that make something of the repository's files when the server runs. A build has no such files: it calls each
 * exported function once, without arguments, and the build contains the results instead of the module.
 */
export const FROZEN_MODULES = [
  'server/src/base/own-texts.ts',
  'server/src/features/console/bundle.ts',
  'server/src/features/pages/assets/browser-script.ts',
  'server/src/features/pages/docs/built-files.ts',
] as const

/** Made before the build: `Bun.build` waits for ever for a `Bun.build` within one of its plugins. */
export async function freezeModules(): Promise<BunPlugin> {
  const paths = FROZEN_MODULES.map((path) => join(ROOT, path))
  const contents = new Map(await Promise.all(paths.map(async (path) => [path, await frozen(path)] as const)))
  return {
    name: 'frozen modules',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = contents.get(path)
        return text === undefined ? undefined : { contents: text, loader: 'js' }
      })
    },
  }
}

async function frozen(path: string): Promise<string> {
  const exported = Object.entries((await import(path)) as Record<string, unknown>)
  const functions = exported.map(async ([name, make]) => {
    if (typeof make !== 'function') throw new Error(`${path}: ${name} is no function, so it cannot be frozen`)
    const made: unknown = make()
    const result = JSON.stringify(await made)
    return `export const ${name} = ${made instanceof Promise ? 'async ' : ''}() => (${result})`
  })
  return (await Promise.all(functions)).join('\n')
}
