import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from './command.ts'
import { findProgram } from './programs.ts'

/** The commit from which servers upgrade to this version. Move it with each release. */
const LAST_RELEASE = '860a09a3a7a5542a8485fbc3ccd5f4357af3aedc'

const FONT = `export const [FONT_PATH, FONT_FAMILY, cardFont] = ['', '', () => ({ widthOf: () => null })]`

const root = new URL('../..', import.meta.url).pathname

/** False in a shallow clone, and without git. */
export const hasLastRelease = findProgram('git') !== null && isInClone()

function isInClone(): boolean {
  const isThere = Bun.spawnSync(['git', 'cat-file', '-e', `${LAST_RELEASE}^{commit}`], { cwd: root }).success
  if (!isThere) process.stderr.write('This clone lacks the last release: the tests beside it are skipped\n')
  return isThere
}

interface OldServer {
  readonly url: string
  readonly demo: { readonly apiKeyId: string; readonly apiKeySecret: string }
  stop(): Promise<void>
}

/** The last release in a folder of its own, with the packages of this one. */
export class LastRelease {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tossup-last-release-'))

  constructor() {
    const archive = Bun.spawnSync(['git', 'archive', '--format=tar', LAST_RELEASE], { cwd: root })
    const unpacked = Bun.spawnSync(['tar', '-x', '-C', this.#folder], { stdin: archive.stdout })
    if (!archive.success || !unpacked.success) throw new Error('the last release cannot be unpacked')
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'))
    // The font of the old cards is no package of ours any more. No test shows a card.
    writeFileSync(join(this.#folder, 'server/src/storage/cards/font.ts'), FONT)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #spawn(words: readonly string[], settings: Settings) {
    const main = join(this.#folder, 'server/src/main.ts')
    return Bun.spawn([process.execPath, '--no-env-file', '--no-install', '--no-orphans', main, ...words], {
      env: { PATH: process.env['PATH'] ?? '', ...settings },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
  }

  /** Starts a server with the demo. */
  async serve(settings: Settings): Promise<OldServer> {
    const child = this.#spawn(['serve', '--json'], { PORT: '0', DEMO: 'true', LOG_LEVEL: 'error', ...settings })
    const log = child.stderr.text()
    const reader = child.stdout.getReader()
    const { value } = await reader.read()
    if (!value) throw new Error(`the last release did not start: ${await log}`)
    const said = JSON.parse(new TextDecoder().decode(value)) as Omit<OldServer, 'stop'>
    return {
      ...said,
      async stop() {
        child.kill('SIGTERM')
        await child.exited
      },
    }
  }

  /** Runs a command of the last release, and returns its exit code and its output. */
  async run(words: readonly string[], settings: Settings): Promise<{ code: number; said: string }> {
    const child = this.#spawn(words, settings)
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, said: stdout + stderr }
  }
}
