import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { PlainFailure } from '../../base/errors.ts'
import type { Tx } from '../store.ts'
import { isBusy, isHeld } from './database-failures.ts'

/** The advisory lock of migrations. */
export const MIGRATION_LOCK = 7_460_001

interface Times {
  /**
   * Votes queue behind a lock that a migration waits for, so the wait is short. It is also shorter than PostgreSQL's
   * `deadlock_timeout` of 1 s: where a migration and a server wait for each other, the migration gives way, not a vote.
   */
  readonly lockMs: number
  /**
   * Autovacuum gives its table up only for somebody who has waited as long as `deadlock_timeout`. So a few attempts are longer
   * than that. The ledger waits 1 to 1.2 s for a lock: votes that come at the beginning of such an attempt can be answered 503.
   */
  readonly longLockMs: number
  readonly longEveryMs: number
  readonly patienceMs: number
}

const TIMES: Times = { lockMs: 400, longLockMs: 1_200, longEveryMs: 15_000, patienceMs: 120_000 }
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 1_000]

/** The locks of the migrations of one process, which come one after the other. */
export class MigrationLocks {
  readonly #times: Times
  #lockMs: number

  constructor(times: Partial<Times> = {}) {
    this.#times = { ...TIMES, ...times }
    this.#lockMs = this.#times.lockMs
  }

  /** Before anything is changed: a table that is locked halfway through deadlocks with servers that hold it. */
  async lockTables(tx: Tx, names: readonly string[]): Promise<void> {
    await sql`select set_config('lock_timeout', ${String(this.#lockMs)}, true)`.execute(tx)
    for (const name of await existing(tx, names))
      await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(tx)
    await sql`select set_config('lock_timeout', '0', true)`.execute(tx)
  }

  /** Begins a migration again while others hold its tables; meanwhile they work on. */
  async untilLocked<T>(attempt: () => Promise<T>): Promise<T> {
    const { lockMs, longLockMs, longEveryMs, patienceMs } = this.#times
    const begin = performance.now()
    let nextLong = begin + longEveryMs
    for (let longest = SHORTEST_PAUSE_MS; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
      const isLong = performance.now() > nextLong
      this.#lockMs = isLong ? longLockMs : lockMs
      if (isLong) nextLong = performance.now() + longEveryMs
      try {
        return await attempt()
      } catch (error) {
        if (!isHeld(error) && !isBusy(error)) throw error
        if (performance.now() > begin + patienceMs) throw heldTooLong(error)
        // Random, so that it does not meet the same periodic work each time.
        await pause(longest * (0.5 + Math.random() / 2))
      }
    }
  }
}

const heldTooLong = (cause: unknown) =>
  new PlainFailure(
    'Cannot migrate the database: other transactions have held its tables for two minutes, such as pg_dump or an autovacuum against wraparound. Find them in pg_stat_activity, end them, then start again.',
    { cause },
  )

/** The others are created by the migration. */
async function existing(tx: Tx, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = any(current_schemas(false))`.execute(tx)
  const there = new Set(rows.map(({ name }) => name))
  return names.filter((name) => there.has(name))
}
