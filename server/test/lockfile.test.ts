import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

interface Package {
  readonly hasInstallScript?: boolean
  readonly integrity?: string
  readonly link?: boolean
}

const lockfile = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Package>
}

test('no package but bun runs a script when it is installed', () => {
  const scripted = Object.entries(lockfile.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(scripted.map(([path]) => path)).toEqual(['node_modules/bun'])
})

test('every installed package has a checksum, which npm compares with what it downloads', () => {
  const unchecked = Object.entries(lockfile.packages).filter(
    // The other entries are the folders of this repository, and links to them.
    ([path, { integrity = '', link }]) => path.includes('node_modules/') && !link && !integrity.startsWith('sha512-'),
  )
  expect(unchecked.map(([path]) => path)).toEqual([])
})
