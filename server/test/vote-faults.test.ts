import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { countedVotes, newDevice, pollKeyOf } from './ballot-box.ts'
import { blockedBackend } from './blocked-backend.ts'
import { engines } from './engines.ts'
import { holdPolls } from './hold-polls.ts'
import { withOtherVotes } from './other-ledger.ts'
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
    const { ledger, vote } = withOtherVotes(
      service,
      async (ballots, decide, options) => {
        isHeld.resolve()
        await gate.promise
        return service.deps.engine.votes.commit(ballots, decide, options)
      },
      { largestGroup: 1, longestQueue: 2 },
    )
    const pollKey = await pollKeyOf(service, poll)
    const queued = [ledger.cast({ pollKey, device: newDevice(), option: 'A' })]
    await isHeld.promise
    for (let i = 0; i < 2; i++) queued.push(ledger.cast({ pollKey, device: newDevice(), option: 'B' }))
    const refused = await vote(poll.slug)
    expect([refused.status, refused.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect([ledger.counts.unavailable, ledger.counts.accepted, ledger.queueLength > 0]).toEqual([1, 0, true])
    gate.resolve()
    await Promise.all(queued)
    expect((await vote(poll.slug)).status).toBe(201)
    expect(await countedVotes(service, pollKey)).toHaveLength(4)
    expect([ledger.counts.unavailable, ledger.counts.accepted, ledger.queueLength]).toEqual([1, 4, 0])
  })

  test('a stop answers votes in flight, and every acknowledged vote is stored', async () => {
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
  test('the vote of the lost connection is answered 503 and not counted, and later votes are counted', async () => {
    const service = await startTestService('postgres')
    const poll = await service.createPoll(await service.createBrand())
    const pollKey = await pollKeyOf(service, poll)
    const { lost, behind } = await service.db.transaction().execute(async (tx) => {
      await holdPolls(tx, [pollKey])
      const vote = service.vote(poll.slug, 'A')
      const pid = await blockedBackend(service)
      const rest = [0, 1, 2].map(() => service.service.ledger.cast({ pollKey, device: newDevice(), option: 'B' }))
      await sql`select pg_terminate_backend(${pid}::int)`.execute(tx)
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
  'postgres: a poll that another session has locked does not delay votes on other polls',
  async () => {
    const service = await startTestService('postgres')
    const brand = await service.createBrand()
    const [held, free] = [await service.createPoll(brand), await service.createPoll(brand)]
    const key = await pollKeyOf(service, held)
    const replies = await service.db.transaction().execute(async (tx) => {
      await holdPolls(tx, [key])
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
  60_000,
)
