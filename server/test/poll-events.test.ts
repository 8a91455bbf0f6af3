import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { SECOND } from '../src/base/clock.ts'
import { noteMilestones } from '../src/features/analytics/mails/note-milestones.ts'
import { announceDue } from '../src/features/polls/poll-events.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { leastOf } from './least-of.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { deletePoll, fromNow, HOUR, minimalPoll, ownPoll, patchPoll } from './polls.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { castMany } from './voters.ts'
import { createWebhook } from './webhooks.ts'

const MINUTE = 60 * SECOND
const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const EVENTS = ['poll.created', 'poll.updated', 'poll.opened', 'poll.closed', 'poll.deleted']

interface PollEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: { poll: PollData; insight?: object; total?: number }
}

describe.each([...engines])('%s: events of polls', (engine) => {
  let service: TestService
  /** A second server on the same database, with all the jobs of the first. */
  let twin: TestService | null
  let database: OwnDatabase | null
  const undo: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    const shared = { settings, ...(database ? { database } : {}), jobs: 'by hand' } as const
    service = await startTestService(engine, shared)
    twin = database ? await startTestService(engine, shared) : null
    // Polls open and close by these clocks: nothing is due before the test says so, however long a request takes.
    for (const { clock } of twin ? [service, twin] : [service]) clock.freeze()
  })
  afterAll(async () => {
    await Promise.all(undo.map((step) => step()))
    await twin?.stop()
    await service.stop()
    await database?.drop()
  })

  async function scene(events: readonly string[] = EVENTS) {
    const brand: TestBrand = await service.createBrand()
    const receiver = new Receiver()
    undo.push(() => receiver.stop())
    await createWebhook(service, brand, { url: receiver.url, events })
    const told = () => receiver.received.map(({ payload }) => payload as unknown as PollEvent)
    const of = (poll: { id: string }) => told().filter(({ data }) => data.poll.id === poll.id)
    /** Sorted, because deliveries run concurrently. */
    const types = (poll: { id: string }) =>
      of(poll)
        .map(({ type }) => type)
        .sort()
    return { brand, receiver, of, types }
  }

  const inMs = (milliseconds: number): string => new Date(service.clock.now() + milliseconds).toISOString()

  /** Advances the clock of all servers and runs their due jobs concurrently, so that they compete. */
  async function pass(milliseconds: number): Promise<void> {
    const servers = [service, ...(twin ? [twin] : [])]
    for (const { clock } of servers) clock.advance(milliseconds)
    await Promise.all(servers.map((server) => server.runDue()))
    // Delivers the events that one server fanned out while the other held the webhook.
    await service.runDue()
  }

  const expectTypes = async (types: () => string[], expected: string[]) => {
    await pass(SECOND)
    expect(types()).toEqual(expected.toSorted())
  }

  test('10, 100, 1,000 … votes are told of, each once, also when several were passed at once', async () => {
    const { brand, of } = await scene(['poll.milestone'])
    const [slow, quick] = [await service.createPoll(brand), await service.createPoll(brand)]
    const castOn = async (poll: PollData, votes: number) => castMany(service, await pollKeyOf(service, poll), votes)
    const totals = async (poll: { id: string }) => {
      // The first run counts the votes of the poll, the second finds the number.
      for (let run = 0; run < 3; run++) await pass(MINUTE)
      return of(poll)
        .map(({ data }) => data.total)
        .sort((left = 0, right = 0) => left - right)
    }
    await castOn(slow, 9)
    await castOn(quick, 100)
    expect(await totals(slow)).toEqual([])
    expect(await totals(quick)).toEqual([10, 100])
    await castOn(slow, 1)
    expect(await totals(slow)).toEqual([10])
    expect(of(slow)[0]?.data.poll).toMatchObject({ id: slow.id, tallies: { total: 10 } })
    expect(await totals(quick)).toEqual([10, 100])
  })

  test('a number of votes that several servers find at once is told of once', async () => {
    const { brand, of } = await scene(['poll.milestone'])
    const poll = await service.createPoll(brand)
    await service.db.updateTable('polls').set({ vote_total: 10 }).where('id', '=', poll.id).execute()
    const servers = [service, twin ?? service, service, twin ?? service]
    await Promise.all(servers.map(({ deps, clock }) => noteMilestones(deps, clock.now())))
    await pass(SECOND)
    expect(of(poll).map(({ data }) => data.total)).toEqual([10])
  })

  // spec: 6-6
  test('a new, a changed and a deleted poll raise events with the poll as its owner sees it', async () => {
    const { brand, of, types } = await scene()
    const poll = await service.createPoll(brand, { tags: ['hot'], closesAt: inMs(HOUR) })
    await expectTypes(() => types(poll), ['poll.created', 'poll.opened'])
    const created = of(poll).find(({ type }) => type === 'poll.created')
    expect(created?.data.poll).toEqual(poll)
    expect(created?.timestamp).toBe(poll['createdAt'] as string)
    const changed = await patchPoll(service, brand, poll.slug, { title: 'Coffee or tea?', archived: true })
    await expectTypes(() => types(poll), ['poll.created', 'poll.opened', 'poll.updated', 'poll.closed'])
    const updated = of(poll).find(({ type }) => type === 'poll.updated')
    expect(updated?.data.poll).toEqual(changed.body.data)
    await deletePoll(service, brand, poll.slug)
    await expectTypes(() => types(poll), ['poll.created', 'poll.deleted', 'poll.opened', 'poll.updated', 'poll.closed'])
    const deleted = of(poll).find(({ type }) => type === 'poll.deleted')
    expect(deleted?.data as object).toEqual({ poll: { id: poll.id, slug: poll.slug } })
  })

  test('a refused request and a replay raise no event', async () => {
    const { brand, receiver } = await scene()
    const key = randomUUID()
    const ask = { token: brand.token, key, json: minimalPoll }
    for (let i = 0; i < 3; i++) await service.write('POST', 'brands/me/polls', ask)
    await service.write('POST', 'brands/me/polls', { token: brand.token, json: { ...minimalPoll, title: '' } })
    await patchPoll(service, brand, 'no-such-poll', { title: 'x' })
    await pass(SECOND)
    expect(receiver.types.sort()).toEqual(['poll.created', 'poll.opened'])
  })

  test('nothing is stored for a brand without a webhook for these events', async () => {
    const { brand, receiver } = await scene(['brand.updated'])
    const poll = await service.createPoll(brand, { closesAt: inMs(MINUTE) })
    await patchPoll(service, brand, poll.slug, { title: 'x' })
    await pass(2 * MINUTE)
    await deletePoll(service, brand, poll.slug)
    await pass(SECOND)
    expect(receiver.received).toEqual([])
    expect(await service.db.selectFrom('outbox').selectAll().where('brand_key', '=', brand.brandKey).execute()).toEqual(
      [],
    )
  })

  test('a poll that nobody reads opens and closes on time, and each event is sent once', async () => {
    const { brand, receiver, of, types } = await scene(['poll.opened', 'poll.closed'])
    const [opensAt, closesAt] = [inMs(MINUTE), inMs(2 * MINUTE)]
    const poll = await service.createPoll(brand, { opensAt, closesAt })
    await pass(MINUTE - SECOND)
    expect(receiver.received).toEqual([])
    await pass(2 * SECOND)
    expect(types(poll)).toEqual(['poll.opened'])
    await pass(MINUTE - 3 * SECOND)
    expect(types(poll)).toEqual(['poll.opened'])
    await pass(2 * SECOND)
    for (const minutes of [0, 1, 60]) {
      await pass(minutes * MINUTE)
      expect(types(poll)).toEqual(['poll.closed', 'poll.opened'])
    }
    for (const [type, instant, status] of [
      ['poll.opened', opensAt, 'open'],
      ['poll.closed', closesAt, 'closed'],
    ] as const) {
      const event = of(poll).find((each) => each.type === type)
      expect([event?.timestamp, event?.data.poll.status]).toEqual([instant, status])
    }
  })

  test('a poll that is reopened and closed again raises the events again', async () => {
    const { brand, types } = await scene(['poll.opened', 'poll.closed'])
    const poll = await service.createPoll(brand)
    const patch = (json: object) => patchPoll(service, brand, poll.slug, json)
    await expectTypes(() => types(poll), ['poll.opened'])
    await patch({ closesAt: inMs(-SECOND) })
    await expectTypes(() => types(poll), ['poll.opened', 'poll.closed'])
    await patch({ title: 'still closed' })
    await patch({ closesAt: inMs(SECOND) })
    await expectTypes(() => types(poll), ['poll.opened', 'poll.closed', 'poll.opened', 'poll.closed'])
    await patch({ closesAt: null, opensAt: inMs(HOUR) })
    await patch({ opensAt: inMs(-HOUR) })
    await expectTypes(() => types(poll), ['poll.opened', 'poll.closed', 'poll.opened', 'poll.closed', 'poll.opened'])
  })

  test('a draft opens when it is published, and a deleted poll neither opens nor closes', async () => {
    const { brand, receiver, types } = await scene(['poll.opened', 'poll.closed'])
    const draft = await service.createPoll(brand, { isDraft: true, opensAt: inMs(MINUTE) })
    const doomed = await service.createPoll(brand, { opensAt: inMs(MINUTE), closesAt: inMs(2 * MINUTE) })
    await deletePoll(service, brand, doomed.slug)
    await pass(3 * MINUTE)
    expect(receiver.received).toEqual([])
    await patchPoll(service, brand, draft.slug, { isDraft: false })
    await expectTypes(() => types(draft), ['poll.opened'])
  })

  test('many polls that close at one instant raise one event each, although several servers announce them', async () => {
    const { brand, receiver } = await scene(['poll.closed'])
    const closesAt = inMs(HOUR)
    const polls = await Promise.all(Array.from({ length: 45 }, () => service.createPoll(brand, { closesAt })))
    const now = Date.parse(closesAt) + 1
    const servers = [service.deps, (twin ?? service).deps, service.deps]
    const announceAll = async (deps: typeof service.deps) => {
      while (await announceDue(deps, now));
    }
    await Promise.all(servers.map(announceAll))
    await pass(0)
    const told = receiver.received.map(({ payload }) => (payload.data['poll'] as PollData).id)
    expect(told.sort()).toEqual(polls.map(({ id }) => id).sort())
  })

  test('a closing carries the meaning of the counts, also where visitors do not see them', async () => {
    const { brand, of } = await scene(['poll.closed', 'poll.opened'])
    const poll = await service.createPoll(brand, { closesAt: inMs(HOUR), resultsVisibility: 'never' })
    const empty = await service.createPoll(brand, { closesAt: inMs(HOUR) })
    for (const option of [...'BBBBBBBBAB'] as const) await service.vote(poll.slug, option)
    await pass(HOUR + MINUTE)
    const [closed] = of(poll).filter(({ type }) => type === 'poll.closed')
    expect(closed?.data).toEqual({
      poll: expect.objectContaining({ tallies: { optionA: 1, optionB: 9, total: 10 } }),
      insight: {
        votes: 10,
        shareA: 0.1,
        low: expect.closeTo(0.017876213, 9),
        high: expect.closeTo(0.404150027, 9),
        verdict: 'too_close',
        leader: null,
        countedAt: poll['closesAt'],
      },
    })
    expect(of(empty).find(({ type }) => type === 'poll.closed')?.data.insight).toMatchObject({
      votes: 0,
      shareA: null,
      verdict: 'no_votes',
    })
    expect(of(poll).find(({ type }) => type === 'poll.opened')?.data).not.toHaveProperty('insight')
  })

  test('an overdue opening or closing is announced before the events of a later change', async () => {
    const { brand, of, types } = await scene()
    const poll = await service.createPoll(brand, { opensAt: inMs(HOUR), closesAt: inMs(2 * HOUR) })
    // Simulate hours without a running server.
    const { db } = service
    const now = service.clock.now()
    const past = { opens_at: now - 2 * HOUR, closes_at: now - HOUR }
    await db
      .updateTable('polls')
      .set({ ...past, announce_at: past.opens_at })
      .where('id', '=', poll.id)
      .execute()
    await patchPoll(service, brand, poll.slug, { closesAt: null })
    await expectTypes(() => types(poll), ['poll.created', 'poll.opened', 'poll.closed', 'poll.updated', 'poll.opened'])
    const [, opened, closed] = of(poll)
      .toSorted((left, right) => (left.timestamp < right.timestamp ? -1 : 1))
      .slice(-5)
    expect([opened?.type, closed?.type].sort()).toContain('poll.closed')
    expect((await ownPoll(service, brand, poll.slug)).status).toBe('open')
  })
})

describe.each([...engines])('%s: a service that was down', (engine) => {
  test('announces what opened and closed meanwhile, once each, with the times of opening and closing', async () => {
    const database = engine === 'postgres' ? await createDatabase() : null
    const receiver = new Receiver()
    const shared = { ...(database ? { database } : {}), jobs: 'by hand' } as const
    const first = await startTestService(engine, { settings, ...shared, keepsData: true })
    const brand = await first.createBrand()
    await createWebhook(first, brand, { url: receiver.url, events: ['poll.opened', 'poll.closed'] })
    const [opensAt, closesAt] = [fromNow(HOUR), fromNow(2 * HOUR)]
    await first.createPoll(brand, { opensAt, closesAt })
    await first.runDue()
    const dataDir = first.deps.config.dataDir
    await first.stop()
    expect(receiver.received).toEqual([])
    const second = await startTestService(engine, { settings: { ...settings, DATA_DIR: dataDir }, ...shared })
    second.clock.advance(3 * HOUR)
    for (const waited of [0, HOUR]) {
      second.clock.advance(waited)
      await second.runDue()
      const told = receiver.received.map(({ payload }) => [payload.type, payload.timestamp]).sort()
      expect(told).toEqual([
        ['poll.closed', closesAt],
        ['poll.opened', opensAt],
      ])
    }
    await second.stop()
    await receiver.stop()
    await database?.drop()
  })
})

describe.each([...engines])('%s: a service by itself', (engine) => {
  // Real time is the subject: the test does not run the jobs.
  test('announces an opening and a closing within 2 s', async () => {
    const service = await startTestService(engine, { settings })
    const brand = await service.createBrand()
    const receiver = new Receiver()
    await createWebhook(service, brand, { url: receiver.url, events: ['poll.opened', 'poll.closed'] })
    /** The longer of the delays of both events. */
    const delayOfEvents = async () => {
      receiver.received.length = 0
      const [opensAt, closesAt] = [fromNow(300), fromNow(900)]
      await service.createPoll(brand, { opensAt, closesAt })
      await receiver.untilCount(2)
      const delays = [
        ['poll.opened', opensAt],
        ['poll.closed', closesAt],
      ].map(([type, instant = '']) => {
        const at = receiver.received.find(({ payload }) => payload.type === type)?.at ?? Number.NaN
        return at - Date.parse(instant)
      })
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
      return Math.max(...delays)
    }
    expect(await leastOf(2_000, delayOfEvents)).toBeLessThan(2_000)
    await service.stop()
    await receiver.stop()
  })
})
