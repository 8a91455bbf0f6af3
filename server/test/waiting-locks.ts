import { sql } from 'kysely'
import type { Tx } from '../src/db/store.ts'
import type { EngineName } from './engines.ts'
import type { TestService } from './service.ts'

/**
 * A function that counts those who wait for this transaction: sessions of PostgreSQL that wait for one of its locks, or
 * work that waits for the only connection to SQLite.
 */
export async function waitersOf(tx: Tx, engine: EngineName, service: TestService): Promise<() => Promise<number>> {
  if (engine === 'sqlite') return async () => service.deps.engine.connections().waiting
  const { rows: own } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
  const pid = own[0]?.pid ?? Number.NaN
  return async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`.execute(service.db)
    return rows[0]?.n ?? 0
  }
}
