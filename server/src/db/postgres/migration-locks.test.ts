import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { emptyDatabase } from '../../../test/empty-database.ts'
import { engines } from '../../../test/engines.ts'
import { eventually } from '../../../test/eventually.ts'
import { migrate } from '../migrate.ts'
import { MigrationLocks } from './migration-locks.ts'

test.skipIf(!engines.includes('postgres'))(
  'a migration waits for a table as long as autovacuum needs to give it up, and names who may hold it',
  async () => {
    const database = await emptyDatabase('postgres')
    const [holder, migrator] = [database.another().db, database.another().db]
    const lock = (locks: MigrationLocks) =>
      locks.untilLocked(() => migrator.transaction().execute((tx) => locks.lockTables(tx, ['votes'])))
    try {
      await migrate(database.engine, 1)
      let locked: Promise<void> | undefined
      await holder.transaction().execute(async (tx) => {
        // The lock mode that VACUUM takes.
        await sql`lock table votes in share update exclusive mode`.execute(tx)
        await expect(lock(new MigrationLocks({ patienceMs: 300 }))).rejects.toThrow(/pg_dump.*autovacuum/)
        locked = lock(new MigrationLocks({ longEveryMs: 300 }))
        await eventually(async () => {
          const { rows } = await sql`select 1 from pg_locks where relation = 'votes'::regclass and not granted
            and clock_timestamp() - waitstart > (select setting::int * interval '1 ms' from pg_settings
              where name = 'deadlock_timeout')`.execute(tx)
          return rows.length > 0
        })
      })
      await locked
    } finally {
      await database.remove()
    }
  },
  60_000,
)
