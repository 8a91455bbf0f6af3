import { expect, test } from 'bun:test'
import { join } from 'node:path'

const part = (name: string) => import(join(import.meta.dir, '../../scripts/release', name))
const { nextVersion }: { nextVersion(current: string, wanted: string): string } = await part('version.mjs')
const {
  releasedChangelog,
  unreleasedNotes,
}: {
  releasedChangelog(changelog: string, release: { version: string; date: string }): string
  unreleasedNotes(changelog: string): string
} = await part('changelog.mjs')

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
