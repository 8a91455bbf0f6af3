import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The path of Bun's binary in the nearest node_modules, as Node would find it. Bun's install script moves the binary out of
 * @oven. Where install scripts are blocked, the binary is still in @oven, and `bun` contains a placeholder of a few bytes.
 */
export function findBun(folder) {
  const parent = dirname(folder)
  return inModules(join(folder, 'node_modules')) ?? (parent === folder ? undefined : findBun(parent))
}

function inModules(modules) {
  const platforms = existsSync(join(modules, '@oven')) ? readdirSync(join(modules, '@oven')) : []
  const folders = ['bun', ...platforms.map((name) => join('@oven', name))].map((name) => join(modules, name, 'bin'))
  const paths = folders.flatMap((folder) => [join(folder, 'bun.exe'), join(folder, 'bun')])
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.size > 1_000_000)
}
