import pg from 'pg'
import { coreTime, cpuMicroseconds } from './processes.ts'

/** The processor time of all backends that serve one database. PostgreSQL has to run on this machine. */
export class DatabaseTime {
  readonly #watcher: pg.Client

  private constructor(watcher: pg.Client) {
    this.#watcher = watcher
  }

  static async open(url: string): Promise<DatabaseTime> {
    const watcher = new pg.Client({ connectionString: url })
    await watcher.connect()
    return new DatabaseTime(watcher)
  }

  /** Of the last work. */
  microseconds = 0

  async during<T>(work: () => Promise<T>): Promise<T> {
    const before = await this.#byBackend()
    const result = await work()
    const after = await this.#byBackend()
    // A backend that ended meanwhile is left out: what it spent earlier would count against the others.
    this.microseconds = [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0)
    return result
  }

  close = (): Promise<void> => this.#watcher.end()

  async #byBackend(): Promise<Map<number, number>> {
    const { rows } = await this.#watcher.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    const times = rows.map(({ pid }) => [pid, microsecondsOf(pid)] as const)
    if (times.length === 0 || times.every(([, time]) => time === null))
      throw new Error('the backends of PostgreSQL are not on this machine')
    return new Map(times.map(([pid, time]) => [pid, time ?? 0]))
  }
}

/** A backend has one thread. The other source counts in steps of 10 ms, as much as some backends need in all. */
function microsecondsOf(pid: number): number | null {
  const time = coreTime(pid)
  return time ? time.running / 1_000 : cpuMicroseconds(pid)
}
