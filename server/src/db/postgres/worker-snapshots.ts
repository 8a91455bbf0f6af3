import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { PlainFailure } from '../../base/errors.ts'
import { isHeld } from './database-failures.ts'

/** Votes wait behind a lock that is waited for, so the wait is short. */
const LOCK_MS = 400
const PATIENCE_MS = 60_000
const LONGEST_PAUSE_MS = 500

/**
 * Begins a transaction in which all rows are of one moment. Each worker of Citus takes a snapshot of its own when a transaction first
 * reads there, so votes are stopped until each has done so.
 */
export async function beginSnapshot(client: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  const holder = (await areVotesDistributed(client)) ? await stopVotes(connect) : null
  try {
    await client.query('begin isolation level repeatable read read only')
    if (!holder) return
    // One connection to each worker: a second one would have a later snapshot.
    await client.query('set local citus.max_adaptive_executor_pool_size = 1')
    await client.query('select poll_key from tallies limit 1')
  } finally {
    await holder?.end()
  }
}

async function areVotesDistributed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'")
  if (rows.length === 0) return false
  const placed = await client.query(
    "select 1 from pg_dist_partition where logicalrelid = to_regclass('votes') and partmethod = 'h'",
  )
  return placed.rows.length > 0
}

/** Each group of votes locks rows of `polls` until its commit has reached every worker. The lock ends with the connection. */
async function stopVotes(connect: () => Promise<pg.Client>): Promise<pg.Client> {
  const holder = await connect()
  const begin = performance.now()
  for (;;) {
    try {
      await holder.query(`begin; set local lock_timeout = ${LOCK_MS}; lock table polls in exclusive mode`)
      return holder
    } catch (error) {
      if (isHeld(error) && performance.now() < begin + PATIENCE_MS) {
        await holder.query('rollback')
        await pause(Math.random() * LONGEST_PAUSE_MS)
        continue
      }
      await holder.end()
      if (!isHeld(error)) throw error
      throw new PlainFailure(
        'Cannot begin a snapshot: other transactions have held the table polls for a minute. Find them in pg_stat_activity, end them, then start again.',
        { cause: error },
      )
    }
  }
}
