import { sql } from 'kysely'
import type { Db, Engine } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { isRemembered, markForgotten, removeForgotten } from './forgotten.ts'

const POSITIONS = 20_000
const POLLS = 500
const BATCH = 500
const VOTES_IN_MEMORY = 500_000
const MOST_SLICES = 256

/**
 * Forgets every guest who has not voted since `before`, as if each had asked. Devices are random bytes and are
 * processed in slices that fit into memory. Reads and writes are small, so that a server can run beside it.
 * Returns the number of guests that were forgotten.
 */
export async function purgeGuests(engine: Engine, before: number, votesInMemory = VOTES_IN_MEMORY): Promise<number> {
  const { db } = engine
  const { votes } = await db
    .selectFrom('tallies')
    .select(sql<number>`cast(coalesce(sum(option_a + option_b), 0) as bigint)`.as('votes'))
    .executeTakeFirstOrThrow()
  const slices = Math.min(MOST_SLICES, 2 ** Math.ceil(Math.log2(Math.max(1, votes / votesInMemory))))
  let forgotten = 0
  for (let slice = 0; slice < slices; slice++) {
    const bounds = [slice, slice + 1].map((edge) => (edge * 256) / slices)
    const lastVotes = await lastVotesOf(db, bounds as [number, number])
    const old = [...lastVotes].flatMap(([name, votedAt]) => (votedAt < before ? [Buffer.from(name, 'latin1')] : []))
    for (let at = 0; at < old.length; at += BATCH) await forget(engine, old.slice(at, at + BATCH), before - 1)
    forgotten += old.length
  }
  return forgotten
}

/** A guest who votes meanwhile stays known by that vote: only older ones are forgotten. */
const forget = (engine: Engine, devices: readonly Uint8Array[], until: number): Promise<void> =>
  transaction(engine, async (tx) => {
    await markForgotten(tx, devices, until)
    await removeForgotten(engine, tx, devices)
  })

/** A range of the first byte of a device. */
type Bounds = readonly [from: number, to: number]

async function lastVotesOf(db: Db, bounds: Bounds): Promise<ReadonlyMap<string, number>> {
  const last = new Map<string, number>()
  for await (const { poll_key, highest } of votedPolls(db)) {
    for (let after = 0; after < highest; after += POSITIONS) {
      const rows = await votesBetween(db, { poll_key, after, to: after + POSITIONS }, bounds)
      for (const { device, voted_at } of rows) {
        const name = Buffer.from(device).toString('latin1')
        last.set(name, Math.max(voted_at, last.get(name) ?? 0))
      }
    }
  }
  return last
}

async function* votedPolls(db: Db) {
  for (let after = -1; ; ) {
    const polls = await db
      .selectFrom('tallies')
      .select(['poll_key', sql<number>`option_a + option_b`.as('highest')])
      .where('poll_key', '>', after)
      .orderBy('poll_key')
      .limit(POLLS)
      .execute()
    yield* polls
    const last = polls.at(-1)
    if (!last) return
    after = last.poll_key
  }
}

function votesBetween(
  db: Db,
  { poll_key, after, to }: { poll_key: number; after: number; to: number },
  [from, end]: Bounds,
) {
  let votes = db
    .selectFrom('votes')
    .select(['device', 'voted_at'])
    .where('poll_key', '=', poll_key)
    .where('position', '>', after)
    .where('position', '<=', to)
    .where(isRemembered)
  if (from > 0) votes = votes.where('device', '>=', Buffer.from([from]))
  if (end < 256) votes = votes.where('device', '<', Buffer.from([end]))
  return votes.execute()
}
