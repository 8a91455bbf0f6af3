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

/** The licenses of all packages that a build contains, which their licenses demand. Bun is the root's only dependency. */
export function thirdPartyNotices({ withBun }: { withBun: boolean }): string {
  const roots = [...(withBun ? [''] : []), 'server', 'embed', 'sdk']
  const manifestOf = (path: string) =>
    existsSync(join(ROOT, path, 'package.json')) ? readJson(`${path}/package.json`) : undefined
  const installed = productionPackages(readJson('package-lock.json'), { roots, manifestOf }).filter(({ path }) =>
    existsSync(join(ROOT, path)),
  )
  return installed.map(notice).join(`\n${'-'.repeat(80)}\n\n`)
}

function notice({ path, name, version, licence }: PackageEntry): string {
  const names = readdirSync(join(ROOT, path)).filter((file) => /^(licen[cs]e|copying|notice|ofl)/i.test(file))
  const texts = names.sort().map((file) => readFileSync(join(ROOT, path, file), 'utf8').trim())
  return `${[`${name} ${version}, license ${licence}`, ...texts].join('\n\n')}\n`
}
