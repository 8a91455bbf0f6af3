import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { findPostgres, OwnPostgres } from './crash/own-postgres.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { LoopTime } from './loop-time.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'

setDefaultTimeout(60_000)

const programs = engines.includes('postgres') ? await findPostgres() : null
/** The promised limit, with a margin for a busy machine. */
const ANSWERED_WITHIN_MS = 10_000 + 500

interface Stall {
  readonly url: string
  begin(): Promise<void>
  end(): Promise<void>
  remove(): Promise<void>
}

async function frozenServer(): Promise<Stall> {
  const server = await OwnPostgres.create(programs ?? '')
  await server.start()
  return { url: server.url, begin: server.freeze, end: server.thaw, remove: () => server.remove() }
}

async function lostRoute(): Promise<Stall> {
  const database: OwnDatabase = await createDatabase()
  const proxy = new TcpProxy(database.url)
  await proxy.open()
  const silence = async (isSilent: boolean) => proxy.silence(isSilent)
  const remove = () => proxy.close().then(() => database.drop())
  return { url: proxy.url, begin: () => silence(true), end: () => silence(false), remove }
}

const stalls = [
  ...(engines.includes('postgres') ? [['a network that lost its route', lostRoute] as const] : []),
  ...(programs ? [['a server that is frozen', frozenServer] as const] : []),
]

describe.if(stalls.length > 0).each(stalls)('PostgreSQL behind %s', (_what, make) => {
  let stall: Stall
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  let time: LoopTime

  beforeAll(async () => {
    time = new LoopTime()
    stall = await make()
    service = await startTestService('sqlite', { settings: { DATABASE_URL: stall.url } })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
  })
  afterAll(async () => {
    await stall.end()
    await service.stop()
    await stall.remove()
    time.stop()
  })

  const timed = async (asking: Promise<Reply>) => {
    const askedAt = time.now()
    const { status, headers } = await asking
    return { status, retryAfter: headers.get('retry-after'), isSoon: time.now() - askedAt < ANSWERED_WITHIN_MS }
  }

  const askAll = () =>
    Promise.all(
      [
        ...Array.from({ length: 30 }, () => service.vote(poll.slug, 'A')),
        ...Array.from({ length: 30 }, () => service.get('brands/me', { token: brand.token })),
        service.write('PATCH', `brands/me/polls/${poll.slug}`, { token: brand.token, json: { tags: ['x'] } }),
        service.get(`brands/${brand.slug}/polls?order=popular`),
        service.get('/readyz'),
      ].map(timed),
    )

  test('every request is 503 within 10 s, on open and on new connections, and recovers without a restart', async () => {
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    // Open connections, and votes in flight.
    await Promise.all(Array.from({ length: 20 }, () => service.get('brands/me', { token: brand.token })))
    const onTheirWay = Array.from({ length: 50 }, () => timed(service.vote(poll.slug, 'B')))
    await stall.begin()
    const unavailable = { status: 503, retryAfter: expect.stringMatching(/^[1-9]\d?$/), isSoon: true }
    for (const answer of await askAll()) expect(answer).toEqual(unavailable)
    for (const answer of await Promise.all(onTheirWay)) expect([201, 503]).toContain(answer.status)
    for (const answer of await askAll()) expect(answer).toEqual(unavailable)
    expect((await timed(service.get('/livez'))).status).toBe(200)

    await stall.end()
    const backAt = time.now()
    await eventually(async () => (await service.get('/readyz')).status === 200)
    await eventually(async () => (await service.vote(poll.slug, 'A')).status === 201)
    expect(time.now() - backAt).toBeLessThan(5_000)
    for (const { status } of await askAll()) expect(status).toBeOneOf([200, 201])
  })
})
