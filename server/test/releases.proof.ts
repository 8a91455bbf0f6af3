import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { hasGit, ReleaseClone } from './release-clone.ts'

let clone: ReleaseClone
beforeAll(async () => {
  if (hasGit) clone = await ReleaseClone.make()
}, 60_000)
afterAll(() => clone?.remove())

/** Everything that a release could change: files, commits, tags. */
const everything = async () =>
  [
    await clone.git('status', '--porcelain', '--ignored'),
    await clone.git('rev-parse', 'HEAD'),
    await clone.git('tag'),
  ].join('\n')

test.if(hasGit)(
  'a dry run prints the notes and the files, and changes nothing',
  async () => {
    const before = await everything()
    const { code, stdout, stderr } = await clone.release('major', '--dry-run')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await everything()).toBe(before)
    expect(stdout).toContain('→ 1.0.0 (dry run)')
    expect(stdout).toContain('### Removed\n\n- A thing for this test.\n')
    expect(stdout).toContain('package-lock.json')
  },
  120_000,
)

test.if(hasGit)(
  'a release commits and tags the version everywhere',
  async () => {
    // The checks have tests of their own, and take longer than everything else here.
    await Bun.write(join(clone.folder, 'scripts/check.mjs'), "console.log('checked')\n")
    await clone.git('commit', '--quiet', '--all', '--message', 'Check nothing')
    const { code, stdout, stderr } = await clone.release('1.2.3')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('checked\n')
    expect(await clone.git('status', '--porcelain')).toBe('')
    expect(await clone.git('log', '-1', '--format=%s %D')).toContain('Release 1.2.3 HEAD -> main, tag: v1.2.3')
    expect(await clone.git('tag', '--list', '--format=%(contents)', 'v1.2.3')).toContain(
      '### Removed\n\n- A thing for this test.',
    )
    const paths = (await clone.git('show', '--name-only', '--format=', 'HEAD')).trim().split('\n')
    for (const path of ['CHANGELOG.md', 'package-lock.json', 'sdk/package.json', 'server/openapi.json'])
      expect(paths).toContain(path)
    const lines = (await clone.git('show', '--format=', '--unified=0', 'HEAD', '--', ':!CHANGELOG.md')).split('\n')
    const added = lines.filter((line) => /^\+[^+]/.test(line))
    expect(added.length).toBeGreaterThan(13)
    for (const line of added) expect(line).toContain('1.2.3')
    const naming = ['--', 'deploy', 'docs', 'examples']
    const named = (await clone.git('grep', '--fixed-strings', '0.1.0', 'HEAD~', ...naming)).trim().split('\n')
    const changed = await clone.git('show', '--format=', '--unified=0', 'HEAD', ...naming)
    expect(changed.match(/^\+[^+].*1\.2\.3/gm)).toHaveLength(named.length)
    expect((await clone.release('1.2.4')).stderr).toContain('Unreleased has no entries')
  },
  120_000,
)
