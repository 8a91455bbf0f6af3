import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dir, '../..')
let place: string
let clone: string

async function run(command: string[], cwd = clone, environment: Record<string, string> = {}) {
  const env = { ...process.env, TMPDIR: place, ...environment }
  const child = Bun.spawn(command, { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

async function git(...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await run(['git', '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args])
  if (code !== 0) throw new Error(stderr)
  return stdout
}

const release = (...args: string[]) => run(['node', 'scripts/release.mjs', ...args])

/** Everything that a release could change: files, commits, tags. */
const everything = async () =>
  [await git('status', '--porcelain', '--ignored'), await git('rev-parse', 'HEAD'), await git('tag')].join('\n')

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tossup-release-'))
  clone = join(place, 'clone')
  await mkdir(clone)
  // Copies the working tree, so that the test sees uncommitted changes.
  const listed = await run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], root)
  for (const path of listed.stdout.split('\0').filter(Boolean)) {
    if (!(await Bun.file(join(root, path)).exists())) continue
    await mkdir(dirname(join(clone, path)), { recursive: true })
    await cp(join(root, path), join(clone, path))
  }
  const changelog = await Bun.file(join(clone, 'CHANGELOG.md')).text()
  await Bun.write(
    join(clone, 'CHANGELOG.md'),
    changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n### Removed\n\n- A thing for this test.\n'),
  )
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  await git('init', '--quiet', '--initial-branch=main')
  await git('config', 'user.name', 'T')
  await git('config', 'user.email', 't@example.com')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'All')
}, 60_000)

afterAll(() => rm(place, { recursive: true, force: true }))

test.each([
  [[], 'one version is needed, got 0'],
  [['patch', 'minor'], 'one version is needed, got 2'],
  [['latest'], 'must be patch, minor, major or x.y.z, got "latest"'],
  [['0.0.1', '--dry-run'], '0.0.1 must be greater than'],
  [['patch', '--dry'], "Unknown option '--dry'"],
  [['patch', '--no-checks'], '--no-checks is allowed only with --dry-run'],
])('wrong usage %p exits with 2 and prints the right usage', async (args, message) => {
  const { code, stderr } = await release(...args)
  expect(stderr).toContain(message)
  expect(stderr).toContain('usage: npm run release -- patch|minor|major|x.y.z')
  expect(code).toBe(2)
})

test('a dry run packs the packages, prints the notes, and changes nothing', async () => {
  const before = await everything()
  const { code, stdout, stderr } = await release('major', '--dry-run', '--no-checks')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(await everything()).toBe(before)
  expect(stdout).toContain('→ 1.0.0 (dry run)')
  expect(stdout).toContain('### Removed\n\n- A thing for this test.\n')
  expect(stdout).toMatch(/\d+ {2}dist\/index\.js\n/)
  const packages = /bill of materials: (.*)/.exec(stdout)?.[1] ?? ''
  expect((await readdir(packages)).sort()).toEqual([
    'LICENSES.txt',
    'NOTES.md',
    'sbom.cdx.json',
    'tossup-1.0.0.tgz',
    'tossup-sdk-1.0.0.tgz',
  ])
  const manifest = await run(['tar', '-xzOf', join(packages, 'tossup-sdk-1.0.0.tgz'), 'package/package.json'])
  expect(JSON.parse(manifest.stdout).version).toBe('1.0.0')
  expect(await Bun.file(join(packages, 'LICENSES.txt')).text()).toMatch(/^MIT\tkysely@/m)
  const bill = await Bun.file(join(packages, 'sbom.cdx.json')).json()
  const names = bill.components.map(({ name }: { name: string }) => name)
  expect(names).toContain('bun')
  expect(names).not.toContain('typescript')
}, 120_000)

test('every reason against a release is printed at once, with exit code 1', async () => {
  await git('switch', '--quiet', '--create', 'elsewhere')
  const manifest = join(clone, 'embed/package.json')
  const text = await Bun.file(manifest).text()
  await Bun.write(manifest, text.replace(/"version": "[^"]*"/, '"version": "7.7.7"'))
  await git('tag', 'v1.0.0')
  const { code, stderr } = await release('1.0.0', '--dry-run', '--no-checks')
  expect(stderr).toContain('a release is made on main, this is elsewhere')
  expect(stderr).toContain('the tree has changes, commit or remove them: M embed/package.json')
  expect(stderr).toContain('embed/package.json has 7.7.7')
  expect(stderr).toContain('the tag v1.0.0 is there already')
  expect(code).toBe(1)
  await git('tag', '--delete', 'v1.0.0')
  await git('checkout', '--quiet', '--', '.')
  await git('switch', '--quiet', 'main')
})

test('a release commits and tags the version everywhere', async () => {
  // The checks have tests of their own, and take longer than everything else here.
  await Bun.write(join(clone, 'scripts/check.mjs'), "console.log('checked')\n")
  await git('commit', '--quiet', '--all', '--message', 'Check nothing')
  const { code, stdout, stderr } = await release('1.2.3')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('checked\n')
  expect(await git('status', '--porcelain')).toBe('')
  expect(await git('log', '-1', '--format=%s %D')).toContain('Release 1.2.3 HEAD -> main, tag: v1.2.3')
  expect(await git('tag', '--list', '--format=%(contents)', 'v1.2.3')).toContain(
    '### Removed\n\n- A thing for this test.',
  )
  const paths = (await git('show', '--name-only', '--format=', 'HEAD')).trim().split('\n')
  for (const path of ['CHANGELOG.md', 'package-lock.json', 'sdk/package.json', 'server/openapi.json'])
    expect(paths).toContain(path)
  const lines = (await git('show', '--format=', '--unified=0', 'HEAD', '--', ':!CHANGELOG.md')).split('\n')
  const added = lines.filter((line) => /^\+[^+]/.test(line))
  expect(added.length).toBeGreaterThan(8)
  for (const line of added) expect(line).toContain('"1.2.3"')
  expect((await release('1.2.4')).stderr).toContain('Unreleased has no entries')
}, 120_000)
