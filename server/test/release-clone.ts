import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findProgram } from './programs.ts'

export const hasGit = findProgram('git') !== null

const root = join(import.meta.dir, '../..')

/** A repository of its own with the files of this one, in which releases are made. */
export class ReleaseClone {
  readonly folder: string
  readonly #place: string

  private constructor(place: string) {
    this.#place = place
    this.folder = join(place, 'clone')
  }

  static async make(): Promise<ReleaseClone> {
    const clone = new ReleaseClone(await mkdtemp(join(tmpdir(), 'tossup-release-')))
    const { folder } = clone
    await mkdir(folder)
    // Copies the working tree, so that the test sees uncommitted changes.
    const listed = await clone.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], root)
    for (const path of listed.stdout.split('\0').filter(Boolean)) {
      if (!(await Bun.file(join(root, path)).exists())) continue
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await cp(join(root, path), join(folder, path))
    }
    const changelog = await Bun.file(join(folder, 'CHANGELOG.md')).text()
    await Bun.write(
      join(folder, 'CHANGELOG.md'),
      changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n### Removed\n\n- A thing for this test.\n'),
    )
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await clone.git('init', '--quiet', '--initial-branch=main')
    await clone.git('config', 'user.name', 'T')
    await clone.git('config', 'user.email', 't@example.com')
    await clone.git('add', '--all')
    await clone.git('commit', '--quiet', '--message', 'All')
    return clone
  }

  async run(command: string[], cwd = this.folder) {
    const env = { ...process.env, TMPDIR: this.#place }
    const child = Bun.spawn(command, { cwd, env, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, code }
  }

  async git(...args: string[]): Promise<string> {
    const command = ['git', '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args]
    const { stdout, stderr, code } = await this.run(command)
    if (code !== 0) throw new Error(stderr)
    return stdout
  }

  release = (...args: string[]) => this.run(['node', 'scripts/release.mjs', ...args])

  remove = () => rm(this.#place, { recursive: true, force: true })
}
