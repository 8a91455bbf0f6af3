import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createApp } from '../src/app.ts'
import type { VoteStore } from '../src/db/vote-store.ts'
import { FeedSnapshots } from '../src/features/polls/feed/feed-snapshots.ts'
import { PollKeys } from '../src/features/polls/snapshots/poll-keys.ts'
import { PollSnapshots } from '../src/features/polls/snapshots/poll-snapshots.ts'
import { TallyStreams } from '../src/features/polls/streams/tally-streams.ts'
import { Ledger } from '../src/features/votes/ledger.ts'
import { allRoutes } from '../src/routes.ts'
import { countedVotes, newDevice, pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { checkAgainstOpenApi } from './openapi-check.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: votes under hardship', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  test('a full queue answers 503 with Retry-After, and nothing of it is counted', async () => {
    const poll = await service.createPoll(brand)
    const gate = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    const { engine: database, log } = service.deps
    const votes: VoteStore = {
      async commit(ballots, decide) {
        isHeld.resolve()
        await gate.promise
        return database.votes.commit(ballots, decide)
      },
    }
    const bounds = { largestGroup: 1, longestQueue: 2 }
    const told = { onCommitted: () => undefined, onUncertain: () => undefined }
    const ledger = new Ledger({ engine: { ...database, votes }, log, ...told, ...bounds })
    const snapshots = new PollSnapshots(service.deps)
    const feeds = new FeedSnapshots(service.deps, snapshots)
    const streams = new TallyStreams(service.deps)
    const polls = { pollKeys: new PollKeys(database.db), snapshots, feeds, streams }
    const app = createApp(service.deps, allRoutes(service.deps, { ledger, ...polls }))
    const path = `/api/rest/v1/polls/${poll.slug}/votes`
    const vote = () =>
      app.fetch(
        new Request(`${service.service.url}${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Device-Id': randomUUID() },
          body: '{"option":"A"}',
        }),
        () => '127.0.0.1',
      )
    const pollKey = await pollKeyOf(service, poll)
    const queued = [ledger.cast({ pollKey, device: newDevice(), option: 'A' })]
    await isHeld.promise
    for (let i = 0; i < 2; i++) queued.push(ledger.cast({ pollKey, device: newDevice(), option: 'B' }))
    const refused = await vote()
    const text = await refused.text()
    checkAgainstOpenApi('POST', path, { status: refused.status, headers: refused.headers, text })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(JSON.parse(text).error.code).toBe('UNAVAILABLE')
    expect([ledger.counts.unavailable, ledger.counts.accepted, ledger.queueLength > 0]).toEqual([1, 0, true])
    gate.resolve()
    await Promise.all(queued)
    expect((await vote()).status).toBe(201)
    expect(await countedVotes(service, pollKey)).toHaveLength(4)
    expect([ledger.counts.unavailable, ledger.counts.accepted, ledger.queueLength]).toEqual([1, 4, 0])
  })

  test('a stop answers what is in flight, and what was acknowledged is there', async () => {
    const other = await startTestService(engine)
    const poll = await other.createPoll(await other.createBrand())
    const key = await pollKeyOf(other, poll)
    const votes = Array.from({ length: 200 }, () =>
      other.service.ledger.cast({ pollKey: key, device: newDevice(), option: 'A' }),
    )
    const stopped = other.service.ledger.drain().then(() => countedVotes(other, key))
    expect(await stopped).toHaveLength(200)
    expect(new Set((await Promise.all(votes)).map(({ kind }) => kind))).toEqual(new Set(['accepted']))
    await other.stop()
  })
})

describe.if(engines.includes('postgres'))('postgres: a connection that dies under a group of votes', () => {
  test('its vote is answered 503 and not counted, and those behind it are', async () => {
    const service = await startTestService('postgres')
    const poll = await service.createPoll(await service.createBrand())
    const pollKey = await pollKeyOf(service, poll)
    const { lost, behind } = await service.db.transaction().execute(async (tx) => {
      await service.deps.engine.lockPollsWithVotes(tx, [pollKey])
      const vote = service.vote(poll.slug, 'A')
      const pid = await blockedBackend(service)
      const rest = [0, 1, 2].map(() => service.service.ledger.cast({ pollKey, device: newDevice(), option: 'B' }))
      await sql`select pg_terminate_backend(${pid})`.execute(tx)
      return { lost: await vote, behind: rest }
    })
    expect(lost).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE', details: {} } } })
    expect(lost.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect((await Promise.all(behind)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted'])
    expect(await countedVotes(service, pollKey)).toMatchObject([{ option: 'B' }, { option: 'B' }, { option: 'B' }])
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    await service.stop()
  })
})

test.if(engines.includes('postgres'))(
  'postgres: a poll that somebody holds does not hold up the others',
  async () => {
    const service = await startTestService('postgres')
    const brand = await service.createBrand()
    const [held, free] = [await service.createPoll(brand), await service.createPoll(brand)]
    const key = await pollKeyOf(service, held)
    const replies = await service.db.transaction().execute(async (tx) => {
      await service.deps.engine.lockPollsWithVotes(tx, [key])
      return Promise.all([
        service.vote(held.slug, 'A'),
        service.vote(free.slug, 'A'),
        service.vote(held.slug, 'B'),
        service.vote(free.slug, 'B'),
      ])
    })
    expect(replies.map(({ status }) => status)).toEqual([503, 201, 503, 201])
    expect((await service.vote(held.slug, 'A')).status).toBe(201)
    await service.stop()
  },
  15_000,
)

/** Of this database alone: others on the same server have locks of their own. */
async function blockedBackend({ db }: TestService): Promise<number> {
  const blocked = sql<{
    pid: number
  }>`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  for (;;) {
    const [row] = (await blocked.execute(db)).rows
    if (row) return row.pid
    await Bun.sleep(1)
  }
}
