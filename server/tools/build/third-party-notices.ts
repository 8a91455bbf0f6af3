import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Locked {
  readonly version: string
  readonly license: string
  readonly dev?: boolean
  readonly link?: boolean
}

const ROOT = new URL('../../../', import.meta.url).pathname
const BUN = /node_modules\/(?:bun$|@oven\/)/

/** The licenses of all packages and fonts that a build contains, which their licenses demand: those that run in production and are installed. */
export function thirdPartyNotices({ withBun }: { withBun: boolean }): string {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const fonts = `Fonts of share cards, license OFL-1.1\n\n${readFileSync(join(ROOT, 'server/fonts/OFL.txt'), 'utf8')}`
  const packages = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link && (withBun || !BUN.test(path)))
    .filter(([path]) => existsSync(join(ROOT, path)))
    .map(([path, locked]) => notice(path, locked))
  return [...packages, fonts].join(`\n${'-'.repeat(80)}\n\n`)
}

function notice(path: string, { version, license }: Locked): string {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const names = readdirSync(join(ROOT, path)).filter((file) => /^(licen[cs]e|copying|notice|ofl)/i.test(file))
  const texts = names.sort().map((file) => readFileSync(join(ROOT, path, file), 'utf8').trim())
  return `${[`${name} ${version}, license ${license}`, ...texts].join('\n\n')}\n`
}
