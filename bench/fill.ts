import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { DAY, HOUR } from '../server/src/base/clock.ts'
import { newShortId, newUuid } from '../server/src/base/ids.ts'
import type { Db, Engine } from '../server/src/db/store.ts'
import type { Ballot } from '../server/src/db/vote-store.ts'
import { decide } from '../server/src/features/votes/decide.ts'
import { type Home, inDatabase } from '../server/test/child-service.ts'
import { asAdmin } from '../server/test/own-database.ts'

const GROUP = 2_000
const POLLS_AT_ONCE = 300
const DEVICE_BYTES = 16

/**
 * Uses the ledger's own store, so that rows, positions and tallies are the same as after votes over HTTP.
 * Each vote has a device of its own; every second vote is on the first poll.
 */
export const fillVotes = (home: Home, votes: number, onStored: (votes: number) => void): Promise<void> =>
  inDatabase(home, async ({ engine }) => {
    const rows = await engine.db.selectFrom('polls').select('key').orderBy('key').limit(101).execute()
    const [hot = 0, ...others] = rows.map((row) => row.key)
    const pollOf = (at: number) => (at % 2 === 0 ? hot : (others[(at >> 1) % others.length] ?? hot))
    for (let stored = 0; stored < votes; ) {
      const size = Math.min(GROUP, votes - stored)
      const bytes = randomBytes(size * DEVICE_BYTES)
      const ballots = Array.from({ length: size }, (_, i): Ballot => {
        const device = bytes.subarray(i * DEVICE_BYTES, (i + 1) * DEVICE_BYTES)
        return { pollKey: pollOf(stored + i), device, option: i % 5 < 3 ? 'A' : 'B' }
      })
      const { durable } = await engine.votes.commit(ballots, (facts) => decide(ballots, facts), {
        mayDecideInDatabase: true,
      })
      await durable
      stored += size
      onStored(size)
    }
    await tidy(home, engine)
  })

/** Each of these devices votes on each of the polls: a group of devices on one poll, then on the next. */
export const fillVoters = (home: Home, slugs: readonly string[], { voters, onStored }: Voters): Promise<void> =>
  inDatabase(home, async ({ engine }) => {
    const rows = await engine.db.selectFrom('polls').select('key').where('slug', 'in', slugs).orderBy('key').execute()
    for (let done = 0; done < voters; done += GROUP) {
      const size = Math.min(GROUP, voters - done)
      const bytes = randomBytes(size * DEVICE_BYTES)
      for (const { key } of rows) {
        const ballots = Array.from({ length: size }, (_, i): Ballot => {
          const device = bytes.subarray(i * DEVICE_BYTES, (i + 1) * DEVICE_BYTES)
          return { pollKey: key, device, option: i % 2 === 0 ? 'A' : 'B' }
        })
        const { durable } = await engine.votes.commit(ballots, (facts) => decide(ballots, facts), {
          mayDecideInDatabase: true,
        })
        await durable
        onStored(size)
      }
    }
    await tidy(home, engine)
  })

interface Voters {
  readonly voters: number
  readonly onStored: (votes: number) => void
}

/** Does what a running database would soon do by itself. */
async function tidy({ database }: Home, { db }: Engine): Promise<void> {
  // VACUUM over a connection of its own: those of the engine begin a transaction for each statement.
  if (database.engine === 'postgres') await asAdmin(database.url, 'vacuum (analyze)')
  else await sql`pragma wal_checkpoint(truncate)`.execute(db)
}

/** Copies of the first poll with names of their own, each a millisecond older than the one before. */
export const fillPolls = (home: Home, polls: number): Promise<void> =>
  inDatabase(home, ({ engine: { db } }) => copyFirstPoll(db, polls))

export async function copyFirstPoll(db: Db, polls: number): Promise<void> {
  const model = await db.selectFrom('polls').selectAll().orderBy('key').limit(1).executeTakeFirstOrThrow()
  const { key: _, ...fields } = model
  for (let made = 0; made < polls; made += POLLS_AT_ONCE) {
    const copies = Array.from({ length: Math.min(POLLS_AT_ONCE, polls - made) }, (_value, i) => ({
      ...fields,
      id: newUuid(),
      short_id: newShortId(),
      slug: `filled-${made + i}`,
      vote_total: 0,
      created_at: model.created_at - made - i,
    }))
    const keys = await db.insertInto('polls').values(copies).returning('key').execute()
    const tallies = keys.map(({ key }) => ({ poll_key: key, option_a: 0, option_b: 0, version: 0, updated_at: 0 }))
    await db.insertInto('tallies').values(tallies).execute()
  }
}

/**
 * Votes on the first poll alone. Their counts are moved back by a day for each part, so that its timeline is that of a poll of
 * so many days; the votes keep their moments.
 */
export const fillFirstPoll = (home: Home, { votes, days, onStored }: FirstPoll): Promise<void> =>
  inDatabase(home, async ({ engine }) => {
    const { db } = engine
    const { key } = await db.selectFrom('polls').select('key').orderBy('key').limit(1).executeTakeFirstOrThrow()
    const startedAt = Date.now()
    for (let day = days - 1, stored = 0; day >= 0; day--) {
      for (const most = Math.round((votes * (days - day)) / days); stored < most; ) {
        const size = Math.min(GROUP, most - stored)
        const bytes = randomBytes(size * DEVICE_BYTES)
        const ballots = Array.from({ length: size }, (_, i): Ballot => {
          const device = bytes.subarray(i * DEVICE_BYTES, (i + 1) * DEVICE_BYTES)
          return { pollKey: key, device, option: i % 5 < 3 ? 'A' : 'B' }
        })
        const { durable } = await engine.votes.commit(ballots, (facts) => decide(ballots, facts), {
          mayDecideInDatabase: true,
        })
        await durable
        stored += size
        onStored(size)
      }
      await db
        .updateTable('vote_counts')
        .set({ at: sql`at - ${day * DAY}` })
        .where('poll_key', '=', key)
        .where('at', '>', startedAt - 2 * HOUR)
        .execute()
    }
    await tidy(home, engine)
  })

interface FirstPoll {
  readonly votes: number
  readonly days: number
  readonly onStored: (votes: number) => void
}

export async function storedBytes(home: Home): Promise<number> {
  if (home.database.engine === 'sqlite') {
    const files = ['tossup.sqlite', 'tossup.sqlite-wal'].map((file) => stat(join(home.dataDir, file)))
    const sizes = await Promise.allSettled(files)
    return sizes.reduce((sum, size) => sum + (size.status === 'fulfilled' ? size.value.size : 0), 0)
  }
  return inDatabase(home, async ({ engine: { db } }) => {
    const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db)
    return Number(rows[0]?.bytes)
  })
}
