import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { announceDue } from '../src/features/polls/events/announce-due.ts'
import { engines } from './engines.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { deletePoll, fromNow, HOUR, minimalPoll, ownPoll, patchPoll } from './polls.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook } from './webhooks.ts'

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const EVENTS = ['poll.created', 'poll.updated', 'poll.opened', 'poll.closed', 'poll.deleted']

interface PollEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: { poll: PollData }
}

describe.each([...engines])('%s: events of polls', (engine) => {
  let service: TestService
  let twin: TestService | null
  let database: OwnDatabase | null
  const undo: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    const shared = database ? { database } : {}
    service = await startTestService(engine, { settings, ...shared })
    // A second server on the same database, which does all that the first does.
    twin = database ? await startTestService(engine, { settings, database }) : null
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
    /** In any order: deliveries run beside each other. */
    const types = (poll: { id: string }) =>
      of(poll)
        .map(({ type }) => type)
        .sort()
    return { brand, receiver, of, types }
  }

  const untilTypes = async (types: () => string[], expected: string[], withinMs = 5_000) => {
    const deadline = performance.now() + withinMs
    while (types().length < expected.length && performance.now() < deadline) await Bun.sleep(5)
    await Bun.sleep(50)
    expect(types()).toEqual(expected.toSorted())
  }

  test('a new, a changed and a deleted poll are told of, in the full form that its owner sees', async () => {
    const { brand, of, types } = await scene()
    const poll = await service.createPoll(brand, { tags: ['hot'], closesAt: fromNow(HOUR) })
    await untilTypes(() => types(poll), ['poll.created', 'poll.opened'])
    const created = of(poll).find(({ type }) => type === 'poll.created')
    expect(created?.data.poll).toEqual(poll)
    expect(created?.timestamp).toBe(poll['createdAt'] as string)
    const changed = await patchPoll(service, brand, poll.slug, { title: 'Coffee or tea?', archived: true })
    await untilTypes(() => types(poll), ['poll.created', 'poll.opened', 'poll.updated', 'poll.closed'])
    const updated = of(poll).find(({ type }) => type === 'poll.updated')
    expect(updated?.data.poll).toEqual(changed.body.data)
    await deletePoll(service, brand, poll.slug)
    await untilTypes(() => types(poll), ['poll.created', 'poll.deleted', 'poll.opened', 'poll.updated', 'poll.closed'])
    const deleted = of(poll).find(({ type }) => type === 'poll.deleted')
    expect(deleted?.data as object).toEqual({ poll: { id: poll.id, slug: poll.slug } })
  })

  test('what is refused, or a replay, tells of nothing', async () => {
    const { brand, receiver } = await scene()
    const key = randomUUID()
    const ask = { token: brand.token, key, json: minimalPoll }
    for (let i = 0; i < 3; i++) await service.write('POST', 'brands/me/polls', ask)
    await service.write('POST', 'brands/me/polls', { token: brand.token, json: { ...minimalPoll, title: '' } })
    await patchPoll(service, brand, 'no-such-poll', { title: 'x' })
    await receiver.until((received) => received.length >= 2)
    await Bun.sleep(100)
    expect(receiver.types.sort()).toEqual(['poll.created', 'poll.opened'])
  })

  test('a brand that wants none of them has no rows', async () => {
    const { brand, receiver } = await scene(['brand.updated'])
    const poll = await service.createPoll(brand, { closesAt: fromNow(300) })
    await patchPoll(service, brand, poll.slug, { title: 'x' })
    await Bun.sleep(1_500)
    await deletePoll(service, brand, poll.slug)
    await Bun.sleep(50)
    expect(receiver.received).toEqual([])
    expect(await service.db.selectFrom('outbox').selectAll().where('brand_key', '=', brand.brandKey).execute()).toEqual(
      [],
    )
  })

  test('a poll that nobody reads opens and closes within 2 s of the instant, once', async () => {
    const { brand, receiver, of, types } = await scene(['poll.opened', 'poll.closed'])
    const [opensAt, closesAt] = [fromNow(300), fromNow(900)]
    const poll = await service.createPoll(brand, { opensAt, closesAt })
    await untilTypes(() => types(poll), ['poll.closed', 'poll.opened'])
    for (const [type, instant, status] of [
      ['poll.opened', opensAt, 'open'],
      ['poll.closed', closesAt, 'closed'],
    ] as const) {
      const event = of(poll).find((each) => each.type === type)
      expect([event?.timestamp, event?.data.poll.status]).toEqual([instant, status])
      const at = receiver.received.find(({ payload }) => payload.type === type)?.at ?? 0
      expect(at).toBeGreaterThanOrEqual(Date.parse(instant))
      expect(at).toBeLessThan(Date.parse(instant) + 2_000)
    }
    await Bun.sleep(1_200)
    expect(types(poll)).toEqual(['poll.closed', 'poll.opened'])
  })

  test('one that is reopened and closed again is told of again', async () => {
    const { brand, types } = await scene(['poll.opened', 'poll.closed'])
    const poll = await service.createPoll(brand)
    const patch = (json: object) => patchPoll(service, brand, poll.slug, json)
    await untilTypes(() => types(poll), ['poll.opened'])
    await patch({ closesAt: fromNow(-1_000) })
    await untilTypes(() => types(poll), ['poll.opened', 'poll.closed'])
    await patch({ title: 'still closed' })
    await patch({ closesAt: fromNow(600) })
    await untilTypes(() => types(poll), ['poll.opened', 'poll.closed', 'poll.opened', 'poll.closed'])
    await patch({ closesAt: null, opensAt: fromNow(HOUR) })
    await patch({ opensAt: fromNow(-HOUR) })
    await untilTypes(() => types(poll), ['poll.opened', 'poll.closed', 'poll.opened', 'poll.closed', 'poll.opened'])
  })

  test('a draft opens when it is published, and a deleted poll neither opens nor closes', async () => {
    const { brand, receiver, types } = await scene(['poll.opened', 'poll.closed'])
    const draft = await service.createPoll(brand, { isDraft: true, opensAt: fromNow(100) })
    const doomed = await service.createPoll(brand, { opensAt: fromNow(400), closesAt: fromNow(700) })
    await deletePoll(service, brand, doomed.slug)
    await Bun.sleep(1_800)
    expect(receiver.received).toEqual([])
    await patchPoll(service, brand, draft.slug, { isDraft: false })
    await untilTypes(() => types(draft), ['poll.opened'])
  })

  test('many polls at one instant are told of once each, whoever else is at it', async () => {
    const { brand, receiver } = await scene(['poll.closed'])
    const closesAt = fromNow(3_600_000)
    const polls = await Promise.all(Array.from({ length: 45 }, () => service.createPoll(brand, { closesAt })))
    const now = Date.parse(closesAt) + 1
    const servers = [service.deps, (twin ?? service).deps, service.deps]
    await Promise.all(servers.map((deps) => announceDue(deps, now)))
    await receiver.untilCount(45)
    await Bun.sleep(100)
    const told = receiver.received.map(({ payload }) => (payload.data['poll'] as PollData).id)
    expect(told.sort()).toEqual(polls.map(({ id }) => id).sort())
  })

  test('what the clock has passed is told before what is done to the poll after it', async () => {
    const { brand, of, types } = await scene()
    const poll = await service.createPoll(brand, { opensAt: fromNow(HOUR), closesAt: fromNow(2 * HOUR) })
    // As if nobody had looked for hours.
    const { db } = service
    const past = { opens_at: Date.now() - 2 * HOUR, closes_at: Date.now() - HOUR }
    await db
      .updateTable('polls')
      .set({ ...past, announce_at: past.opens_at })
      .where('id', '=', poll.id)
      .execute()
    await patchPoll(service, brand, poll.slug, { closesAt: null })
    await untilTypes(() => types(poll), ['poll.created', 'poll.opened', 'poll.closed', 'poll.updated', 'poll.opened'])
    const [, opened, closed] = of(poll)
      .toSorted((left, right) => (left.timestamp < right.timestamp ? -1 : 1))
      .slice(-5)
    expect([opened?.type, closed?.type].sort()).toContain('poll.closed')
    expect((await ownPoll(service, brand, poll.slug)).status).toBe('open')
  })
})

describe.each([...engines])('%s: a service that was down', (engine) => {
  test('tells of what opened and closed meanwhile, once each, as of their instants', async () => {
    const database = engine === 'postgres' ? await createDatabase() : null
    const receiver = new Receiver()
    const first = await startTestService(engine, { settings, ...(database ? { database } : {}), keepsData: true })
    const brand = await first.createBrand()
    await createWebhook(first, brand, { url: receiver.url, events: ['poll.opened', 'poll.closed'] })
    const [opensAt, closesAt] = [fromNow(200), fromNow(500)]
    await first.createPoll(brand, { opensAt, closesAt })
    const dataDir = first.deps.config.dataDir
    await first.stop()
    await Bun.sleep(600)
    const second = await startTestService(engine, {
      settings: { ...settings, DATA_DIR: dataDir },
      ...(database ? { database } : {}),
    })
    await receiver.untilCount(2, 3_000)
    await Bun.sleep(1_200)
    const told = receiver.received.map(({ payload }) => [payload.type, payload.timestamp]).sort()
    expect(told).toEqual([
      ['poll.closed', closesAt],
      ['poll.opened', opensAt],
    ])
    await second.stop()
    await receiver.stop()
    await database?.drop()
  })
})
