import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

interface Package {
  readonly hasInstallScript?: boolean
}

const lockfile = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Package>
}

test('no package but bun runs a script when it is installed', () => {
  const scripted = Object.entries(lockfile.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(scripted.map(([path]) => path)).toEqual(['node_modules/bun'])
})
