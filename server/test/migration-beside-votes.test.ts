import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrate } from '../src/db/migrate.ts'
import type { Engine } from '../src/db/store.ts'
import { transaction } from '../src/db/transaction.ts'
import { COUNTED_WIDTHS } from '../src/db/vote-store.ts'
import { newDevice } from './ballot-box.ts'
import { makeEarlierDatabase } from './earlier-database.ts'
import { emptyDatabase } from './empty-database.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'

const POLL = 1
const OLD_SERVERS = 3

/** A group of votes with the columns of the first release: the present store writes those that migrations add. */
const castAsBefore = (engine: Engine, devices: readonly Uint8Array[]): Promise<void> =>
  transaction(engine, async (tx) => {
    await sql`set local lock_timeout = '1s'`.execute(tx)
    await sql`select from polls where key = ${POLL} for update`.execute(tx)
    const tally = await tx.selectFrom('tallies').selectAll().where('poll_key', '=', POLL).executeTakeFirstOrThrow()
    const [before, now] = [tally.option_a + tally.option_b, Date.now()]
    const votes = devices.map((device, i) => {
      return { poll_key: POLL, device, option: 'A' as const, voted_at: now, position: before + i + 1 }
    })
    await tx.insertInto('votes').values(votes).execute()
    await tx
      .updateTable('tallies')
      .set({ option_a: tally.option_a + devices.length, version: tally.version + 1, updated_at: now })
      .where('poll_key', '=', POLL)
      .execute()
    for (const width of COUNTED_WIDTHS)
      await sql`insert into vote_counts (poll_key, width, at, option_a, option_b)
        values (${POLL}, ${width}, ${now - (now % width)}, ${devices.length}, 0)
        on conflict (poll_key, width, at) do update set option_a = vote_counts.option_a + excluded.option_a`.execute(tx)
  })

test.skipIf(!engines.includes('postgres'))(
  'postgres: two servers start and migrate while old servers vote: no deadlock, and no vote is lost',
  async () => {
    const database = await emptyDatabase('postgres')
    await makeEarlierDatabase(database.engine)
    const accepted: string[] = []
    let isOver = false
    // An old server refuses a vote now and then, as while it waits for a lock.
    const vote = async (): Promise<void> => {
      const engine = database.another()
      while (!isOver) {
        const devices = Array.from({ length: 8 }, () => newDevice())
        try {
          await castAsBefore(engine.ready(), devices)
          accepted.push(...devices.map((device) => Buffer.from(device).toString('hex')))
        } catch (error) {
          if (!engine.isUnavailable(error)) throw error
        }
      }
    }
    try {
      const voting = Array.from({ length: OLD_SERVERS }, vote)
      await eventually(() => accepted.length > 500)
      const starts = await Promise.all([database.another(), database.another()].map((engine) => migrate(engine, 7)))
      expect(starts.map((names) => names.length).sort((left, right) => left - right)[0]).toBe(0)
      const migrated = accepted.length
      await eventually(() => accepted.length > migrated + 500)
      isOver = true
      await Promise.all(voting)

      const { db } = database.engine
      const stored = await db.selectFrom('votes').select('device').where('poll_key', '=', POLL).execute()
      const devices = new Set(stored.map(({ device }) => Buffer.from(device).toString('hex')))
      expect(accepted.filter((device) => !devices.has(device))).toEqual([])
      const tally = await db.selectFrom('tallies').selectAll().where('poll_key', '=', POLL).executeTakeFirstOrThrow()
      expect(tally.option_a + tally.option_b).toBe(stored.length)
      const counts = await db
        .selectFrom('vote_counts')
        .select(({ fn }) => [fn.sum<number>('option_a').as('a'), fn.sum<number>('option_b').as('b')])
        .where('poll_key', '=', POLL)
        .where('width', '=', 60_000)
        .executeTakeFirstOrThrow()
      expect(Number(counts.a) + Number(counts.b)).toBeGreaterThanOrEqual(accepted.length)
    } finally {
      isOver = true
      await database.remove()
    }
  },
  60_000,
)
