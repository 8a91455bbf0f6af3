import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { transaction } from '../src/db/transaction.ts'
import type { EventType, NewEvent } from '../src/events/event-catalogue.ts'
import { engines } from './engines.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { deletePoll, fromNow, patchPoll, problemsOf } from './polls.ts'
import { Receiver } from './receiver.ts'
import { type Reply, startTestService, type TestBrand, type TestService, WIDE_POOL } from './service.ts'
import { createWebhook } from './webhooks.ts'

const DAY = 86_400_000

interface FedEvent {
  readonly id: string
  readonly type: EventType
  readonly timestamp: string
  readonly data: { readonly poll?: { readonly slug: string } }
}

const read = (service: TestService, { token }: TestBrand, query = ''): Promise<Reply<FedEvent[]>> =>
  service.get<FedEvent[]>(`brands/me/events${query}`, { token })

const typesOf = ({ body }: Reply<FedEvent[]>) => body.data.map(({ type }) => type)

describe.each([...engines])('%s: the event feed', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand', settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  })
  afterAll(() => service.stop())

  const draft = (brand: TestBrand) => service.createPoll(brand, { isDraft: true })

  test('has what happened, oldest first, without a webhook, votes and respondents', async () => {
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    const campaign = { token: brand.token, json: { title: 'Week', polstIds: [poll.id] } }
    await service.write('POST', 'brands/me/campaigns', campaign)
    await service.vote(poll.slug, 'A')
    await patchPoll(service, brand, poll.slug, { closesAt: fromNow(-1_000) })
    await deletePoll(service, brand, poll.slug)
    await service.runDue()
    const reply = await read(service, brand)
    expect(reply.status).toBe(200)
    expect(typesOf(reply).filter((type) => type !== 'campaign.updated')).toEqual([
      'poll.created',
      'poll.opened',
      'campaign.created',
      'poll.updated',
      'poll.closed',
      'poll.deleted',
    ])
    expect(reply.headers.get('cache-control')).toContain('no-store')
    expect(reply.text).not.toContain('respondentId')
    const [first] = reply.body.data
    expect(Object.keys(first ?? {})).toEqual(['id', 'type', 'timestamp', 'data'])
    expect(first?.data.poll?.slug).toBe(poll.slug)
  })

  test('has the id and the payload that a webhook receives', async () => {
    const brand = await service.createBrand()
    const receiver = new Receiver()
    await createWebhook(service, brand, { url: receiver.url, events: ['poll.created'] })
    await draft(brand)
    await service.runDue()
    await receiver.stop()
    const { data } = (await read(service, brand)).body
    expect(data).toEqual(receiver.received.map(({ id, payload }) => ({ id, ...payload }) as unknown as FedEvent))
    expect(data).toHaveLength(1)
  })

  test('goes on at its cursor, which is there on the last page and in an empty feed', async () => {
    const brand = await service.createBrand()
    const empty = await read(service, brand)
    expect(empty.body).toEqual({ data: [], nextCursor: expect.any(String), hasMore: false } as never)
    expect(empty.headers.get('link')).toBeNull()
    for (let i = 0; i < 3; i++) await draft(brand)
    await service.runDue()
    const first = await read(service, brand, `?limit=2&cursor=${empty.body.nextCursor}`)
    expect([first.body.data.length, first.body.hasMore]).toEqual([2, true])
    expect(first.headers.get('link')).toContain('rel="next"')
    const second = await read(service, brand, `?limit=2&cursor=${first.body.nextCursor}`)
    expect([second.body.data.length, second.body.hasMore]).toEqual([1, false])
    const end = await read(service, brand, `?limit=2&cursor=${second.body.nextCursor}`)
    expect([end.body.data.length, end.body.hasMore]).toEqual([0, false])
    await draft(brand)
    await service.runDue()
    expect(typesOf(await read(service, brand, `?cursor=${end.body.nextCursor}`))).toEqual(['poll.created'])
  })

  test('shows the types that are asked for, and refuses others and cursors of other lists', async () => {
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand)
    await deletePoll(service, brand, poll.slug)
    await service.runDue()
    const some = await read(service, brand, '?types=poll.deleted,brand.updated')
    expect(typesOf(some)).toEqual(['poll.deleted'])
    const cursor = some.body.nextCursor
    // The same types in another order are the same list.
    expect((await read(service, brand, `?types=brand.updated,poll.deleted&cursor=${cursor}`)).status).toBe(200)
    expect(problemsOf(await read(service, brand, `?cursor=${cursor}`))).toEqual(['cursor invalid_cursor'])
    for (const types of ['poll.voted', 'poll.deleted,', 'campaign.completed', '', 'x']) {
      const refused = await read(service, brand, `?types=${types}`)
      expect([types, refused.status]).toEqual([types, 422])
    }
    const other = await service.createBrand()
    const own = '?types=brand.updated,poll.deleted'
    expect((await read(service, other, `${own}&cursor=${cursor}`)).status).toBe(400)
    expect((await read(service, other)).body.data).toEqual([])
  })

  test('ends after 30 days: a cursor that may have missed something is refused, one at the end is not', async () => {
    let brand = await service.createBrand()
    /** Takes a new token, because a token does not live as long as an event. */
    async function later(milliseconds: number): Promise<void> {
      service.clock.advance(milliseconds)
      await service.runDue()
      brand = { ...brand, token: (await service.exchange(brand)).accessToken }
    }
    for (let i = 0; i < 2; i++) await draft(brand)
    await service.runDue()
    const { nextCursor: middle } = (await read(service, brand, '?limit=1')).body
    const { nextCursor: end } = (await read(service, brand)).body
    await later(29 * DAY)
    expect(typesOf(await read(service, brand, `?cursor=${middle}`))).toEqual(['poll.created'])
    const { nextCursor: young } = (await read(service, brand, `?cursor=${end}`)).body
    await later(DAY)
    expect((await read(service, brand)).body.data).toEqual([])
    for (const cursor of [middle, end]) {
      const refused = await read(service, brand, `?cursor=${cursor}`)
      expect([refused.status, ...problemsOf(refused)]).toEqual([400, 'cursor expired'])
    }
    // Nothing has happened since: a reader that asks from time to time misses nothing.
    expect((await read(service, brand, `?cursor=${young}`)).status).toBe(200)
    const left = () =>
      service.db.selectFrom('event_feed').select('key').where('brand_key', '=', brand.brandKey).execute()
    expect(await left()).toHaveLength(2)
    await later(2 * 3_600_000)
    expect(await left()).toEqual([])
  })
})

/** Each writer commits after a while of its own, so events become visible in another order than they were numbered. */
const WRITERS = 6
const EVENTS_OF_ONE = 40

/** Each transaction that adds to the feed stays open for a while, during which that of the other server could pass it. */
const SLOW_COMMITS = [
  `create function wait_a_while() returns trigger language plpgsql as
    $$ begin perform pg_sleep(random() * 0.03); return null; end $$`,
  'create trigger waits after insert on event_feed execute function wait_a_while()',
]

describe.each([...engines])('%s: a reader of the event feed beside concurrent writers', (engine) => {
  let database: OwnDatabase | null
  const services: TestService[] = []
  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    const options = { jobs: 'by hand' as const, settings: WIDE_POOL, ...(database ? { database } : {}) }
    services.push(await startTestService(engine, options))
    if (database) services.push(await startTestService(engine, options))
    for (const statement of database ? SLOW_COMMITS : [])
      await sql.raw(statement).execute((services[0] as TestService).db)
  })
  afterAll(async () => {
    for (const service of services) await service.stop()
    await database?.drop()
  })

  test('gets each event once, and none is skipped', async () => {
    const [first] = services
    if (!first) throw new Error('no service')
    const brand = await first.createBrand()
    const { brandKey } = brand
    let areWriting = true
    let areFanning = true

    async function write(service: TestService, writer: number): Promise<void> {
      for (let i = 0; i < EVENTS_OF_ONE; i++) {
        await transaction(service.deps.engine, async (tx) => {
          const data = () => ({ poll: { id: randomUUID(), slug: `${writer}-${i}` } })
          await service.deps.bus.emit(tx, { brandKey, type: 'poll.deleted', data } as NewEvent)
          // Real time: the transaction is open meanwhile. SQLite has one at a time.
          if (engine === 'postgres') await pause(Math.random() * 15)
        })
      }
    }

    async function fanOut(service: TestService): Promise<void> {
      while (areWriting) {
        await service.runDue()
        // Real time: leaves the processor to the writers.
        await pause(1)
      }
      await service.runDue()
    }

    const seen: string[] = []
    async function follow(): Promise<void> {
      let cursor = ''
      for (let isLast = false; !isLast; ) {
        isLast = !areFanning
        let hasMore = true
        while (hasMore) {
          const { body } = await read(first as TestService, brand, `?limit=7${cursor && `&cursor=${cursor}`}`)
          seen.push(...body.data.flatMap(({ data }) => data.poll?.slug ?? []))
          cursor = body.nextCursor ?? ''
          hasMore = body.hasMore ?? false
        }
        // Real time: asks again and again.
        await pause(2)
      }
    }

    const following = follow()
    const fanning = services.map(fanOut)
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(services[writer % services.length] as TestService, writer),
    )
    await Promise.all(writers)
    areWriting = false
    await Promise.all(fanning)
    areFanning = false
    await following

    const all = Array.from({ length: WRITERS }, (_, writer) =>
      Array.from({ length: EVENTS_OF_ONE }, (_, i) => `${writer}-${i}`),
    ).flat()
    expect(seen.toSorted()).toEqual(all.toSorted())
    // The events of one writer, each committed before the next began, come in its order.
    for (let writer = 0; writer < WRITERS; writer++) {
      const own = seen.filter((slug) => slug.startsWith(`${writer}-`))
      expect(own).toEqual(Array.from({ length: EVENTS_OF_ONE }, (_, i) => `${writer}-${i}`))
    }
  })
})
