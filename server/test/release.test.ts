import { expect, test } from 'bun:test'
import { join } from 'node:path'

interface Entry {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly integrity?: string
  readonly dependsOn: readonly string[]
}
interface Bill {
  readonly metadata: { readonly component: unknown }
  readonly components: readonly unknown[]
  readonly dependencies: readonly unknown[]
}

const part = (name: string) => import(join(import.meta.dir, '../../scripts/release', name))
const { nextVersion }: { nextVersion(current: string, wanted: string): string } = await part('version.mjs')
const {
  releasedChangelog,
  unreleasedNotes,
}: {
  releasedChangelog(changelog: string, release: { version: string; date: string }): string
  unreleasedNotes(changelog: string): string
} = await part('changelog.mjs')
const {
  productionPackages,
  licenceList,
}: {
  productionPackages(
    lock: unknown,
    from: { roots: string[]; manifestOf: (path: string) => { version: string; license?: string } | undefined },
  ): Entry[]
  licenceList(packages: Entry[]): string
} = await part('packages.mjs')
const { billOfMaterials }: { billOfMaterials(facts: object): Bill } = await part('sbom.mjs')

test.each([
  ['0.1.0', 'patch', '0.1.1'],
  ['0.1.9', 'minor', '0.2.0'],
  ['0.9.9', 'major', '1.0.0'],
  ['1.9.9', 'patch', '1.9.10'],
  ['0.1.0', '0.1.1', '0.1.1'],
  ['0.9.0', '0.10.0', '0.10.0'],
])('after %s, %s is %s', (current, wanted, next) => {
  expect(nextVersion(current, wanted)).toBe(next)
})

test.each(['0.1.0', '0.0.9', '1', '1.0', 'v1.0.0', '1.0.0-rc.1', '01.0.0', '1.0.0.0', 'Major', ''])(
  'after 0.1.0, "%s" is refused',
  (wanted) => {
    expect(() => nextVersion('0.1.0', wanted)).toThrow(RangeError)
  },
)

const changelog = `# Changelog

Words.

## [Unreleased]

### Added

### Fixed

- A bug,
  over two lines.

### Security

- A hole.

## [0.1.0]

### Added

- All of it.
`

test('a release moves the entries to their version, and leaves Unreleased empty', () => {
  expect(releasedChangelog(changelog, { version: '0.2.0', date: '2030-01-02' })).toBe(`# Changelog

Words.

## [Unreleased]

## [0.2.0] - 2030-01-02

### Fixed

- A bug,
  over two lines.

### Security

- A hole.

## [0.1.0]

### Added

- All of it.
`)
})

test('the first release of a changelog needs no section before it', () => {
  const first = '## [Unreleased]\n\n### Added\n\n- A.\n'
  const released = '## [Unreleased]\n\n## [0.1.0] - 2030-01-02\n\n### Added\n\n- A.\n'
  expect(releasedChangelog(first, { version: '0.1.0', date: '2030-01-02' })).toBe(released)
})

test.each([
  ['no entries', '## [Unreleased]\n\n### Added\n\n## [0.1.0]\n\n- A.\n', 'has no entries'],
  ['no heading', '## Unreleased\n\n### Added\n\n- A.\n', 'must have the heading "## [Unreleased]" once'],
  ['two headings', '## [Unreleased]\n\n### Added\n\n- A.\n\n## [Unreleased]\n', 'once'],
  ['an entry below no kind of change', '## [Unreleased]\n\n- A.\n', 'got "- A."'],
  ['a kind of change that does not exist', '## [Unreleased]\n\n### New\n\n- A.\n', 'got "### New"'],
])('a changelog with %s is refused', (_, text, message) => {
  expect(() => unreleasedNotes(text)).toThrow(message)
})

test('a version that has a section already is refused', () => {
  expect(() => releasedChangelog(changelog, { version: '0.1.0', date: '2030-01-02' })).toThrow('is there already')
})

test('the changelog of this repository has the form that a release needs', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../CHANGELOG.md')).text()
  expect(text.match(/^## \[Unreleased\]$/gm)).toHaveLength(1)
  const kinds = text.match(/^### .*/gm)?.map((heading) => heading.slice(4)) ?? []
  for (const kind of kinds)
    expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security', 'Upgrading']).toContain(kind)
})

const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`
const lock = {
  packages: {
    '': { dependencies: { run: '1.0.0' } },
    server: { dependencies: { '@scope/a': '1.0.0', b: '2.0.0' }, devDependencies: { dev: '1.0.0' } },
    'node_modules/run': { version: '1.0.0', license: 'MIT', optionalDependencies: { 'run-other': '1.0.0', gone: '1' } },
    'node_modules/run-other': { version: '1.0.0', license: 'ISC', optional: true },
    'node_modules/@scope/a': { version: '1.0.0', license: 'MIT AND OFL-1.1', integrity, dependencies: { b: '1.0.0' } },
    'node_modules/@scope/a/node_modules/b': { version: '1.0.0', license: 'MIT', dependencies: { c: '1.0.0' } },
    'node_modules/b': { version: '2.0.0', license: 'MIT', dependencies: { c: '1.0.0' } },
    'node_modules/c': { version: '1.0.0', license: 'BSD-3-Clause', dependencies: { b: '2.0.0' } },
    'node_modules/dev': { version: '1.0.0', license: 'MIT', dev: true },
  },
}
const roots = ['', 'server']
const packages = () => productionPackages(lock, { roots, manifestOf: () => undefined })

test('production packages are those that the workspaces reach, each at the place where Node finds it', () => {
  expect(packages().map(({ path, dependsOn }) => [path, dependsOn])).toEqual([
    ['node_modules/@scope/a', ['node_modules/@scope/a/node_modules/b']],
    ['node_modules/@scope/a/node_modules/b', ['node_modules/c']],
    ['node_modules/b', ['node_modules/c']],
    ['node_modules/c', ['node_modules/b']],
    ['node_modules/run', ['node_modules/run-other']],
    ['node_modules/run-other', []],
  ])
  expect(licenceList(packages()).split('\n').slice(0, 3)).toEqual([
    'BSD-3-Clause\tc@1.0.0',
    'ISC\trun-other@1.0.0',
    'MIT\tb@1.0.0',
  ])
})

test('a package without a licence, with another version than the lockfile, or that the lockfile lacks is refused', () => {
  const installed = (version: string, license?: string) => () => ({ version, ...(license ? { license } : {}) })
  const only = (entry: object) => ({ packages: { server: { dependencies: { a: '1' } }, 'node_modules/a': entry } })
  const read = (entry: object, manifestOf: Parameters<typeof productionPackages>[1]['manifestOf']) => () =>
    productionPackages(only(entry), { roots: ['server'], manifestOf })
  expect(read({ version: '1.0.0' }, installed('1.0.0', 'MIT'))()[0]?.licence).toBe('MIT')
  expect(read({ version: '1.0.0' }, installed('1.0.0'))).toThrow('node_modules/a: no licence')
  expect(read({ version: '1.0.0', license: 'MIT' }, installed('1.0.1', 'MIT'))).toThrow('run npm ci')
  const missing = { packages: { server: { dependencies: { a: '1' } } } }
  expect(() => productionPackages(missing, { roots: ['server'], manifestOf: () => undefined })).toThrow('depends on a')
})

test('the bill of materials names each package with its hash, licence and dependencies', () => {
  const direct = ['node_modules/run', 'node_modules/@scope/a', 'node_modules/b']
  const facts = { name: 'tossup', version: '0.2.0', licence: 'MIT', at: '2030-01-02T00:00:00.000Z', uuid: 'u' }
  const bill = billOfMaterials({ ...facts, packages: packages(), direct })
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: 'urn:uuid:u',
    metadata: { component: { type: 'application', name: 'tossup', version: '0.2.0', purl: 'pkg:npm/tossup@0.2.0' } },
  })
  expect(bill.components).toHaveLength(6)
  expect(bill.components[0]).toEqual({
    type: 'library',
    'bom-ref': 'pkg:npm/%40scope/a@1.0.0',
    group: '@scope',
    name: 'a',
    version: '1.0.0',
    hashes: [{ alg: 'SHA-512', content: '01'.repeat(64) }],
    licenses: [{ expression: 'MIT AND OFL-1.1' }],
    purl: 'pkg:npm/%40scope/a@1.0.0',
  })
  expect(bill.dependencies).toContainEqual({
    ref: 'pkg:npm/tossup@0.2.0',
    dependsOn: ['pkg:npm/%40scope/a@1.0.0', 'pkg:npm/b@2.0.0', 'pkg:npm/run@1.0.0'],
  })
  expect(bill.dependencies).toContainEqual({ ref: 'pkg:npm/c@1.0.0', dependsOn: ['pkg:npm/b@2.0.0'] })
  expect(bill.components[4]).toMatchObject({ purl: 'pkg:npm/run@1.0.0', licenses: [{ license: { id: 'MIT' } }] })
})
