import { MINUTE } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { ownCommand } from '../base/own-program.ts'
import { durationMs } from '../base/setting-kinds.ts'
import type { Config } from '../config.ts'

const MAIN = new URL('../main.ts', import.meta.url)
const RETRY_MS = 10 * MINUTE
const MOST_SAID = 500

/**
 * Makes backups in BACKUP_URL, in a process of their own: the same `tossup backup` that an operator runs. The process decides
 * whether one is due, by what is in BACKUP_URL, so that a restart or a second server makes none too many.
 */
export class ScheduledBackups {
  readonly #config: Pick<Config, 'backupPlace' | 'backupEvery'>
  readonly #log: Log
  #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | null = null
  #nextLookAt = 0
  /** The time of the newest complete backup; null before the first look, and while there is none. */
  newestAt: number | null = null
  /** Whether the last look failed. */
  hasFailed = false

  constructor({ config, log }: { config: Pick<Config, 'backupPlace' | 'backupEvery'>; log: Log }) {
    this.#config = config
    this.#log = log
  }

  async run(now: number): Promise<void> {
    if (this.#config.backupPlace === null || now < this.#nextLookAt) return
    const child = Bun.spawn(ownCommand(MAIN, ['backup', '--if-due', '--json']), {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    this.#child = child
    const [said, complaint, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    this.#child = null
    if (child.signalCode === 'SIGTERM') return
    this.hasFailed = code !== 0
    if (code === 0) {
      const backup = JSON.parse(said)
      this.newestAt = backup.newest === null ? null : Date.parse(backup.newest)
      this.#log.info({ backup }, 'looked whether a backup is due')
    } else this.#log.error({ reason: complaint.trim().slice(0, MOST_SAID), code }, 'A BACKUP FAILED')
    const pause = Math.min(code === 0 ? Number.POSITIVE_INFINITY : RETRY_MS, durationMs(this.#config.backupEvery) / 4)
    this.#nextLookAt = now + pause
  }

  /** A backup that is not complete is left out: a backup may take longer than a stop. */
  stop(): void {
    this.#child?.kill('SIGTERM')
  }
}
