import { MINUTE } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { ownCommand } from '../base/own-program.ts'
import type { Config } from '../config/config.ts'
import { durationMs } from '../config/setting-kinds.ts'

const MAIN = new URL('../main.ts', import.meta.url)
const RETRY_MS = 10 * MINUTE
const MOST_SAID = 500

/** Two are missing: one may just be under way. */
export const isOverdue = (newestAt: number, every: string, now: number): boolean =>
  now - newestAt >= 2 * durationMs(every)

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
  /** Why the last look failed; null if it did not. */
  failure: string | null = null

  constructor({ config, log }: { config: Pick<Config, 'backupPlace' | 'backupEvery'>; log: Log }) {
    this.#config = config
    this.#log = log
  }

  get hasFailed(): boolean {
    return this.failure !== null
  }

  get isOn(): boolean {
    return this.#config.backupPlace !== null
  }

  /** When the next backup is due; null while the newest one is not known. */
  get nextAt(): number | null {
    if (!this.isOn || this.newestAt === null) return null
    return Math.max(this.newestAt + durationMs(this.#config.backupEvery), this.hasFailed ? this.#nextLookAt : 0)
  }

  isOverdueAt(now: number): boolean {
    return this.isOn && this.newestAt !== null && isOverdue(this.newestAt, this.#config.backupEvery, now)
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
    this.failure = code === 0 ? null : complaint.trim().slice(0, MOST_SAID)
    if (code === 0) {
      const backup = JSON.parse(said)
      this.newestAt = backup.newest === null ? null : Date.parse(backup.newest)
      this.#log.info({ backup }, 'looked whether a backup is due')
    } else this.#log.error({ reason: this.failure, code }, 'A BACKUP FAILED')
    const pause = Math.min(code === 0 ? Number.POSITIVE_INFINITY : RETRY_MS, durationMs(this.#config.backupEvery) / 4)
    this.#nextLookAt = now + pause
  }

  /** A backup that is not complete is left out: a backup may take longer than a stop. */
  stop(): void {
    this.#child?.kill('SIGTERM')
  }
}
