import { sql } from 'kysely'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'

/** The process of PostgreSQL that waits for a lock in this database: others on the same server have locks of their own. */
export async function blockedBackend({ db }: Pick<TestService, 'db'>): Promise<number> {
  const blocked = sql<{
    pid: number
  }>`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const { pid } = await eventually(async () => (await blocked.execute(db)).rows[0], { everyMs: 1 })
  return pid
}
