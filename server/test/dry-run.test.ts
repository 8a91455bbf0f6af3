import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { hasGit, ReleaseClone } from './release-clone.ts'

let clone: ReleaseClone
beforeAll(async () => {
  if (hasGit) clone = await ReleaseClone.make()
}, 60_000)
afterAll(() => clone?.remove())

test.if(hasGit).each([
  [[], 'one version is needed, got 0'],
  [['patch', 'minor'], 'one version is needed, got 2'],
  [['latest'], 'must be patch, minor, major or x.y.z, got "latest"'],
  [['0.0.1', '--dry-run'], '0.0.1 must be greater than'],
  [['patch', '--dry'], "Unknown option '--dry'"],
])('wrong usage %p exits with 2 and prints the right usage', async (args, message) => {
  const { code, stderr } = await clone.release(...args)
  expect(stderr).toContain(message)
  expect(stderr).toContain('usage: npm run release -- patch|minor|major|x.y.z')
  expect(code).toBe(2)
})

test.if(hasGit)('every reason against a release is printed at once, with exit code 1', async () => {
  await clone.git('switch', '--quiet', '--create', 'elsewhere')
  const manifest = join(clone.folder, 'embed/package.json')
  const text = await Bun.file(manifest).text()
  await Bun.write(manifest, text.replace(/"version": "[^"]*"/, '"version": "7.7.7"'))
  await clone.git('tag', 'v1.0.0')
  const { code, stderr } = await clone.release('1.0.0', '--dry-run')
  expect(stderr).toContain('a release is made on main, this is elsewhere')
  expect(stderr).toContain('the tree has changes, commit or remove them: M embed/package.json')
  expect(stderr).toContain('the tag v1.0.0 is there already')
  expect(code).toBe(1)
  await clone.git('tag', '--delete', 'v1.0.0')
  await clone.git('switch', '--quiet', 'main')
  await clone.git('commit', '--quiet', '--all', '--message', 'Another version')
  const differing = await clone.release('1.0.0', '--dry-run')
  expect([differing.code, differing.stderr]).toEqual([1, expect.stringContaining('embed/package.json: must contain')])
})
