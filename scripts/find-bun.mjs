import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The path of Bun's binary in the nearest node_modules, as Node would find it. Bun's install script moves the binary out of
 * @oven. Where install scripts are blocked, the binary is still in @oven, and `bun` contains a placeholder of a few bytes.
 */
export function findBun(folder) {
  for (let place = folder; ; place = dirname(place)) {
    const bun = inModules(join(place, 'node_modules'))
    if (bun || place === dirname(place)) return bun
  }
}

function inModules(modules) {
  const moved = join(modules, 'bun', 'bin', 'bun.exe')
  if ((statSync(moved, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000) return moved
  const platforms = existsSync(join(modules, '@oven')) ? readdirSync(join(modules, '@oven')) : []
  const paths = platforms.flatMap((name) => ['bun', 'bun.exe'].map((file) => join(modules, '@oven', name, 'bin', file)))
  return paths.find((path) => existsSync(path))
}
