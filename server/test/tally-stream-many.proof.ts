import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createHttpApp } from '../src/app/app.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase } from './own-database.ts'
import { LOCAL } from './peers.ts'
import { patchPoll } from './polls.ts'
import { startTestService, type TestService } from './service.ts'
import { StreamClient } from './stream-client.ts'
import { TcpProxy } from './tcp-proxy.ts'

setDefaultTimeout(60_000)

/** About a second, with a margin for a busy machine. */
const WITHIN_MS = 3_000

const listen = ({ service }: TestService, poll: string, headers: Record<string, string> = {}) =>
  StreamClient.open(`${service.url}/api/rest/v1/polls/${poll}/tallies/stream`, headers)

/** The time until the condition holds. */
async function takes(client: StreamClient, isTrue: (client: StreamClient) => boolean): Promise<number> {
  const start = performance.now()
  await client.until(isTrue)
  return performance.now() - start
}

describe('what another process changes comes within a second or so', () => {
  test('sqlite: votes, an edit and the end of the poll', async () => {
    const service = await startTestService('sqlite')
    const { slug } = await service.createPoll(await service.createBrand())
    const client = await listen(service, slug)
    await client.until(({ events }) => events.length === 1)
    const other = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'))
    other.run('update tallies set option_a = 7, version = version + 1')
    expect(await takes(client, ({ totals }) => totals.at(-1) === 7)).toBeLessThan(WITHIN_MS)
    other.run("update polls set results_visibility = 'never', updated_at = updated_at + 1")
    expect(await takes(client, ({ last }) => last?.data.tallies.hidden === true)).toBeLessThan(WITHIN_MS)
    other.run('update polls set deleted_at = 1')
    other.close()
    expect(await takes(client, ({ isEnded }) => isEnded)).toBeLessThan(WITHIN_MS)
    await service.stop()
  })

  test.if(engines.includes('postgres'))('postgres: two servers send the same events, with the same ids', async () => {
    const database = await createDatabase()
    const settings = { DATABASE_URL: database.url }
    const [one, two] = [await startTestService('sqlite', { settings }), await startTestService('sqlite', { settings })]
    const brand = await one.createBrand()
    const { slug } = await one.createPoll(brand)
    const clients = [await listen(one, slug), await listen(two, slug)]
    for (const client of clients) await client.until(({ events }) => events.length === 1)
    await Promise.all([one.vote(slug, 'A'), one.vote(slug, 'B'), two.vote(slug, 'B')])
    for (const client of clients)
      expect(await takes(client, ({ totals }) => totals.at(-1) === 3)).toBeLessThan(WITHIN_MS)
    await patchPoll(one, brand, slug, { closesAt: '2020-01-01T00:00:00Z' })
    for (const client of clients)
      expect(await takes(client, ({ last }) => last?.data.status === 'closed')).toBeLessThan(WITHIN_MS)
    const [first, second] = clients.map(({ last }) => last?.id)
    expect(first).toBe(second ?? '')
    const resumed = await listen(two, slug, { 'Last-Event-ID': first ?? '' })
    // Real time: long enough to show that no frame comes.
    await Bun.sleep(900)
    expect(resumed.events).toEqual([])
    await one.write('DELETE', `brands/me/polls/${slug}`, { token: brand.token })
    for (const client of clients) expect(await takes(client, ({ isEnded }) => isEnded)).toBeLessThan(WITHIN_MS)
    await Promise.all([one.stop(), two.stop()])
    await database.drop()
  })

  test.if(engines.includes('postgres'))(
    'postgres: while the database is away streams stay open, and continue when it is back',
    async () => {
      const database = await createDatabase()
      const proxy = new TcpProxy(database.url)
      await proxy.open()
      const service = await startTestService('sqlite', { settings: { DATABASE_URL: proxy.url } })
      const brand = await service.createBrand()
      const [poll, other] = [await service.createPoll(brand), await service.createPoll(brand)]
      const client = await listen(service, poll.slug)
      await client.until(({ events }) => events.length === 1)
      await proxy.close()
      // Real time: the database is unreachable for longer than anything is cached.
      await Bun.sleep(1_000)
      expect(await listen(service, other.slug)).toMatchObject({ status: 503 })
      const late = await listen(service, poll.slug)
      await late.until(({ events }) => events.length === 1)
      expect(client.isEnded).toBe(false)
      await proxy.open()
      await eventually(async () => (await service.get('/readyz')).status === 200)
      await eventually(async () => (await service.vote(poll.slug, 'A')).status === 201)
      for (const each of [client, late]) await each.until(({ totals }) => totals.at(-1) === 1)
      const again = await listen(service, other.slug)
      await again.until(({ events }) => events.length === 1)
      expect(service.service.streams.listeners).toBe(3)
      await service.stop()
      await proxy.close()
      await database.drop()
    },
  )
})

describe('there is an end to how many may listen', () => {
  const start = async (settings: Record<string, string>) => {
    const service = await startTestService('sqlite', { settings: { TRUSTED_PROXIES: '127.0.0.1', ...settings } })
    const poll = await service.createPoll(await service.createBrand())
    return { service, poll, from: (address: string) => listen(service, poll.slug, { 'X-Forwarded-For': address }) }
  }

  async function isTaken(open: () => Promise<StreamClient>): Promise<void> {
    await eventually(async () => (await open()).status === 200, { everyMs: 10 })
  }

  test('of a process: 503 with Retry-After, until a listener leaves', async () => {
    const { service, from } = await start({ STREAMS: '3' })
    const held = [await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.3')]
    const refused = await from('192.0.2.4')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'UNAVAILABLE', details: {} } })
    expect(refused.headers.get('cache-control')).toBe('private, no-store')
    // Requests for missing polls and HEAD requests occupy no place.
    held[1]?.leave()
    await isTaken(() => from('192.0.2.4'))
    await service.stop()
  })

  test('of a network: 429, without effect on other networks; failed and ended streams do not count', async () => {
    const { service, poll, from } = await start({ NETWORK_STREAMS: '2' })
    for (let i = 0; i < 5; i++) {
      const headers = { 'X-Forwarded-For': '2001:db8::1' }
      expect((await listen(service, 'no-such-poll', headers)).status).toBe(404)
      const path = `${service.service.url}/api/rest/v1/polls/${poll.slug}/tallies/stream`
      expect((await fetch(path, { method: 'HEAD', headers })).status).toBe(200)
    }
    const held = [await from('2001:db8::1'), await from('2001:db8::2')]
    const refused = await from('2001:db8::3')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect(refused.headers.get('ratelimit-policy')).toBe('"streams";q=2')
    expect(refused.headers.get('ratelimit')).toBe('"streams";r=0;t=5')
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'RATE_LIMITED', details: {} } })
    expect((await from('2001:db8:0:1::1')).status).toBe(200)
    // Peers from this machine are not limited by network: it may be a proxy missing from TRUSTED_PROXIES.
    for (let i = 0; i < 4; i++) expect((await listen(service, poll.slug)).status).toBe(200)
    held[0]?.leave()
    await isTaken(() => from('2001:db8::3'))
    await service.stop()
  })

  test('a limit of 0 for a network is no limit', async () => {
    const { service, from } = await start({ NETWORK_STREAMS: '0' })
    for (let i = 0; i < 5; i++) expect((await from('192.0.2.1')).status).toBe(200)
    await service.stop()
  })
})

describe.each([...engines])('%s: a stop', (engine) => {
  test('ends every stream at once, whether its client reads or not', async () => {
    const service = await startTestService(engine)
    const poll = await service.createPoll(await service.createBrand())
    const clients = await Promise.all(Array.from({ length: 100 }, () => listen(service, poll.slug)))
    const { port } = new URL(service.service.url)
    const asleep = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
      socket.write(`GET /api/rest/v1/polls/${poll.slug}/tallies/stream HTTP/1.1\r\nHost: x\r\n\r\n`)
      return socket.pause()
    })
    const opening = new Set<Promise<unknown>>()
    await eventually(() => service.service.streams.listeners >= 120)
    for (let i = 0; i < 20; i++) opening.add(listen(service, poll.slug).catch(() => null))
    void service.vote(poll.slug, 'A').catch(() => undefined)
    const start = performance.now()
    await service.stop()
    expect(performance.now() - start).toBeLessThan(5_000)
    for (const client of clients) await client.until(({ isEnded }) => isEnded)
    await Promise.all(opening)
    expect(service.service.streams.listeners).toBe(0)
    expect(service.logLines).toEqual([])
    for (const socket of asleep) socket.destroy()
  })
})

test('a silent stream is kept open, and no other silent connection is', async () => {
  const service = await startTestService('sqlite')
  const { slug } = await service.createPoll(await service.createBrand())
  const app = createHttpApp(service.deps, service.service.routes)
  const held: string[] = []
  const ask = async (path: string, method = 'GET') => {
    const request = new Request(`${service.service.url}/api/rest/v1/${path}`, { method })
    const response = await app.fetch(request, { ...LOCAL, holdOpen: () => void held.push(path) })
    await response.body?.cancel()
    return response.status
  }
  expect(await ask(`polls/${slug}`)).toBe(200)
  expect(await ask(`polls/${slug}/tallies`)).toBe(200)
  expect(await ask('polls/none/tallies/stream')).toBe(404)
  expect(await ask(`polls/${slug}/votes`, 'POST')).toBe(401)
  expect(held).toEqual([])
  expect(await ask(`polls/${slug}/tallies/stream`)).toBe(200)
  expect(held).toEqual([`polls/${slug}/tallies/stream`])
  expect(service.service.streams.listeners).toBe(0)
  await service.stop()
})

test('each of many listeners of many polls receives events of its own poll alone', async () => {
  const service = await startTestService('sqlite')
  const brand = await service.createBrand()
  const polls = await Promise.all(Array.from({ length: 12 }, () => service.createPoll(brand)))
  const clients = await Promise.all(polls.flatMap(({ slug }) => [0, 1, 2].map(() => listen(service, slug))))
  for (const [i, { slug }] of polls.entries())
    await Promise.all(Array.from({ length: i }, () => service.vote(slug, 'A', randomUUID())))
  for (const [i, client] of clients.entries()) {
    const expected = Math.floor(i / 3)
    await client.until(({ totals }) => totals.at(-1) === expected)
  }
  // Real time: long enough to show that no frame comes.
  await Bun.sleep(900)
  for (const [i, { events }] of clients.entries())
    expect(new Set(events.map(({ data }) => data.slug))).toEqual(new Set([polls[Math.floor(i / 3)]?.slug ?? '']))
  await service.stop()
})
