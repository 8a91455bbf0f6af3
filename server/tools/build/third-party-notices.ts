import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface PackageEntry {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly licence: string
}

const ROOT = new URL('../../../', import.meta.url).pathname
const { productionPackages } = (await import(`${ROOT}scripts/release/packages.mjs`)) as {
  productionPackages(
    lock: unknown,
    from: { roots: readonly string[]; manifestOf: (path: string) => unknown },
  ): PackageEntry[]
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

/** The licenses of all packages and fonts that a build contains, which their licenses demand. Bun is the root's only dependency. */
export function thirdPartyNotices({ withBun }: { withBun: boolean }): string {
  const roots = [...(withBun ? [''] : []), 'server', 'embed', 'sdk', 'console']
  const manifestOf = (path: string) =>
    existsSync(join(ROOT, path, 'package.json')) ? readJson(`${path}/package.json`) : undefined
  const installed = productionPackages(readJson('package-lock.json'), { roots, manifestOf }).filter(({ path }) =>
    existsSync(join(ROOT, path)),
  )
  const fonts = `Fonts of share cards, license OFL-1.1\n\n${readFileSync(join(ROOT, 'server/fonts/OFL.txt'), 'utf8')}`
  return [...installed.map(notice), fonts].join(`\n${'-'.repeat(80)}\n\n`)
}

function notice({ path, name, version, licence }: PackageEntry): string {
  const names = readdirSync(join(ROOT, path)).filter((file) => /^(licen[cs]e|copying|notice|ofl)/i.test(file))
  const texts = names.sort().map((file) => readFileSync(join(ROOT, path, file), 'utf8').trim())
  return `${[`${name} ${version}, license ${licence}`, ...texts].join('\n\n')}\n`
}
