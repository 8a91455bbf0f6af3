import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import type { Db, Tx } from '../store.ts'

const MOST_KEY = 2 ** 47

/**
 * Fails if DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Its heartbeats would come back from there, and
 * every process would trust caches that no notice ever changes.
 */
export async function assertSameDatabase(direct: Tx, db: Db): Promise<void> {
  // Each database has advisory locks of its own.
  const key = randomInt(MOST_KEY)
  await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(direct)
  const { rows } = await sql<{ is_free: boolean }>`select pg_try_advisory_xact_lock(${key}::bigint) as is_free`.execute(
    db,
  )
  if (rows[0]?.is_free !== false) {
    throw new PlainFailure('DATABASE_DIRECT_URL leads to another database than DATABASE_URL.')
  }
}

export async function assertReachable(direct: Db): Promise<void> {
  await sql`select 1`.execute(direct).catch((error) => {
    throw new PlainFailure(`Cannot use DATABASE_DIRECT_URL: ${reasonOf(error)}.`, { cause: error })
  })
}
