import { expect, test } from 'bun:test'
import { migrate } from '../src/db/migrate.ts'
import { decide } from '../src/features/votes/decide.ts'
import { newDevice } from './ballot-box.ts'
import { makeEarlierDatabase } from './earlier-database.ts'
import { emptyDatabase } from './empty-database.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'

const POLL = 1
const OLD_SERVERS = 3

test.skipIf(!engines.includes('postgres'))(
  'postgres: two servers start and migrate while old servers vote: no deadlock, and no vote is lost',
  async () => {
    const database = await emptyDatabase('postgres')
    await makeEarlierDatabase(database.engine)
    const accepted: string[] = []
    let isOver = false
    // An old server that has prepared its statements before, and refuses a vote now and then, as while it waits for a lock.
    const vote = async (): Promise<void> => {
      const engine = database.another()
      const { votes } = engine.ready()
      while (!isOver) {
        const ballots = Array.from({ length: 8 }, () => ({ pollKey: POLL, device: newDevice(), option: 'A' as const }))
        try {
          const { decision, durable } = await votes.commit(ballots, (facts) => decide(ballots, facts))
          await durable
          expect(decision.votes).toHaveLength(ballots.length)
          accepted.push(...ballots.map(({ device }) => Buffer.from(device).toString('hex')))
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
