import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampleEngines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { TcpProxy } from '../../server/test/tcp-proxy.ts'
import { isTossupError, type PollTallies, Visitor } from '../src/index.ts'
import { EventReader, type StreamEvent } from '../src/tally-events.ts'

interface Asked {
  readonly path: string
  readonly headers: Headers
  readonly status: number
}

/** A fetch that records requests and answers. */
function listening(spoil: (response: Response, path: string) => Response = (response) => response) {
  const asked: Asked[] = []
  const send = (async (address: string, init: RequestInit) => {
    const response = await fetch(address, init)
    const path = new URL(address).pathname.replace(/^.*(?=\/tallies)/, '')
    asked.push({ path, headers: new Headers(init.headers), status: response.status })
    return spoil(response, path)
  }) as typeof fetch
  return { asked, fetch: send }
}

/** The events of a watch, collected in the background. */
function collect(watch: AsyncIterable<PollTallies>) {
  const totals: number[] = []
  const over = (async () => {
    for await (const { tallies } of watch) totals.push(tallies.total)
    return 'ended'
  })().catch((error: unknown) => error)
  const until = (isTrue: () => boolean) => eventually(isTrue, { seen: () => totals })
  return { totals, over, until }
}

describe.each([...sampleEngines])('on %s', (engine) => {
  let service: TestService
  let brand: TestBrand

  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })

  afterAll(() => service.stop())

  test('yields the present state and each change, and nothing after the loop is left', async () => {
    const poll = await service.createPoll(brand)
    const { asked, fetch } = listening()
    const leaving = new AbortController()
    const visitor = new Visitor({ url: service.service.url, fetch })
    const { totals, over, until } = collect(visitor.watchTallies(poll.shortId, { signal: leaving.signal }))
    await until(() => totals.length === 1)
    await service.vote(poll.slug, 'A')
    await until(() => totals.at(-1) === 1)
    await service.vote(poll.slug, 'B')
    await until(() => totals.at(-1) === 2)
    leaving.abort()
    expect(await over).toBe('ended')
    expect(totals).toEqual([0, 1, 2])
    expect(asked.map(({ path }) => path).sort()).toEqual(['/tallies', '/tallies/stream'])
  })

  test('watches several polls over one connection, and leaves out those that are deleted', async () => {
    const polls = await Promise.all([1, 2, 3].map(() => service.createPoll(brand)))
    const [first, second, third] = polls.map(({ slug }) => slug) as [string, string, string]
    const { asked, fetch } = listening()
    const leaving = new AbortController()
    const visitor = new Visitor({ url: service.service.url, fetch })
    const told: Record<string, number[]> = {}
    const over = (async () => {
      const list = [first, 'never-was', second, polls[2]?.shortId ?? '']
      for await (const { slug, tallies } of visitor.watchTallies(list, { signal: leaving.signal, pollEveryMs: 50 })) {
        told[slug] = [...(told[slug] ?? []), tallies.total]
      }
    })().catch((error: unknown) => error)
    const until = (isTrue: () => boolean) => eventually(isTrue, { seen: () => told })
    await until(() => Object.keys(told).length === 3)
    await service.vote(third, 'A')
    await until(() => told[third]?.at(-1) === 1)
    await service.write('DELETE', `brands/me/polls/${first}`, { token: brand.token })
    await service.vote(second, 'A')
    await until(() => told[second]?.at(-1) === 1)
    expect(told).toEqual({ [first]: [0], [second]: [0, 1], [third]: [0, 1] })
    expect(asked.filter(({ path }) => path === '/tallies/stream')).toHaveLength(1)
    for (const slug of [second, third]) {
      await service.write('DELETE', `brands/me/polls/${slug}`, { token: brand.token })
    }
    expect(isTossupError(await over, 'NOT_FOUND')).toBe(true)
  })

  test('polls several polls where it may not stream, until the last of them is deleted', async () => {
    const polls = await Promise.all([1, 2].map(() => service.createPoll(brand)))
    const [first, second] = polls.map(({ slug }) => slug) as [string, string]
    const { asked, fetch } = listening()
    const visitor = new Visitor({ url: service.service.url, fetch })
    const { totals, over, until } = collect(visitor.watchTallies([first, second], { stream: false, pollEveryMs: 10 }))
    await until(() => totals.length === 2)
    await service.write('DELETE', `brands/me/polls/${first}`, { token: brand.token })
    await until(() => asked.some(({ status }) => status === 404))
    await service.vote(second, 'A')
    await until(() => totals.at(-1) === 1)
    await service.write('DELETE', `brands/me/polls/${second}`, { token: brand.token })
    expect(isTossupError(await over, 'NOT_FOUND')).toBe(true)
    expect(totals).toEqual([0, 0, 1])
  })

  test('leaving the loop ends the connection', async () => {
    const poll = await service.createPoll(brand)
    let isCancelled = false
    const { fetch } = listening((response) => {
      const { body, headers } = response
      const watched = body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>())
      return new Response(watched ?? null, { headers })
    })
    const send = ((address: string, init: RequestInit) => {
      init.signal?.addEventListener('abort', () => {
        isCancelled = true
      })
      return fetch(address, init)
    }) as typeof globalThis.fetch
    for await (const { tallies } of new Visitor({ url: service.service.url, fetch: send }).watchTallies(poll.slug)) {
      expect(tallies.total).toBe(0)
      break
    }
    expect(isCancelled).toBe(true)
  })

  test('a lost connection is opened again, without a header for which a browser would first ask', async () => {
    const poll = await service.createPoll(brand)
    const proxy = new TcpProxy(service.service.url)
    await proxy.open()
    const { asked, fetch } = listening()
    const leaving = new AbortController()
    const visitor = new Visitor({ url: proxy.url, fetch })
    const options = { signal: leaving.signal, pollEveryMs: 20 }
    const { totals, over, until } = collect(visitor.watchTallies(poll.slug, options))
    const streams = () => asked.filter(({ path }) => path === '/tallies/stream')
    // The present state comes from a poll where that is faster than the stream.
    await until(() => totals.length === 1 && streams().length === 1)
    await proxy.close()
    await service.vote(poll.slug, 'A')
    // Real time: the network is down for a while.
    await Bun.sleep(200)
    await proxy.open()
    await until(() => totals.at(-1) === 1)
    await until(() => streams().length === 2)
    await service.vote(poll.slug, 'A')
    await until(() => totals.at(-1) === 2)
    expect(streams().map(({ headers }) => headers.has('last-event-id'))).toEqual([false, false])
    expect(totals).toEqual([0, 1, 2])
    leaving.abort()
    expect(await over).toBe('ended')
    await proxy.close()
  })

  test.each([
    ['where answers cannot be read as they come', (response: Response) => bodiless(response)],
    ['where something on the way turns the stream into a page', () => new Response('<html></html>')],
  ])('%s it polls, and gets 304 while nothing changes', async (_, spoiled) => {
    const poll = await service.createPoll(brand)
    const { asked, fetch } = listening((response, path) => (path === '/tallies/stream' ? spoiled(response) : response))
    const leaving = new AbortController()
    const visitor = new Visitor({ url: service.service.url, fetch })
    const options = { signal: leaving.signal, pollEveryMs: 10 }
    const { totals, over, until } = collect(visitor.watchTallies(poll.slug, options))
    await until(() => asked.filter(({ status }) => status === 304).length >= 3)
    await service.vote(poll.slug, 'A')
    await until(() => totals.at(-1) === 1)
    leaving.abort()
    expect(await over).toBe('ended')
    expect(totals).toEqual([0, 1])
    expect(asked.filter(({ path }) => path === '/tallies/stream')).toHaveLength(1)
  })

  test.each([
    ['where fetch returns only whole answers', untilAborted],
    ['where a proxy holds back the body of the stream', silent],
  ])('%s the first value comes at once, and the next ones by polls', async (_, held) => {
    const poll = await service.createPoll(brand)
    const { asked, fetch: send } = listening()
    const fetch = ((address: string, init: RequestInit) =>
      address.includes('/tallies/stream?')
        ? held(init.signal as AbortSignal)
        : send(address, init)) as typeof globalThis.fetch
    const leaving = new AbortController()
    // No stream fails before its timeout, which is later than this test.
    const visitor = new Visitor({ url: service.service.url, fetch, timeoutMs: 600_000 })
    const { totals, over, until } = collect(
      visitor.watchTallies(poll.slug, { signal: leaving.signal, pollEveryMs: 10 }),
    )
    await until(() => totals.length === 1)
    await service.vote(poll.slug, 'A')
    await until(() => totals.at(-1) === 1)
    leaving.abort()
    expect(await over).toBe('ended')
    expect(totals).toEqual([0, 1])
    expect(asked.length).toBeGreaterThan(1)
  })

  test('with streams turned off it only polls', async () => {
    const poll = await service.createPoll(brand)
    const { asked, fetch } = listening()
    const watch = new Visitor({ url: service.service.url, fetch }).watchTallies(poll.slug, { stream: false })
    expect((await watch.next()).value).toMatchObject({ slug: poll.slug, status: 'open' })
    await watch.return()
    expect(asked.map(({ path }) => path)).toEqual(['/tallies'])
  })

  test('a deleted or unknown poll ends it with NOT_FOUND', async () => {
    const poll = await service.createPoll(brand)
    const visitor = new Visitor({ url: service.service.url })
    const { totals, over, until } = collect(visitor.watchTallies(poll.slug))
    await until(() => totals.length === 1)
    await service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: brand.token })
    expect(isTossupError(await over, 'NOT_FOUND')).toBe(true)
    expect(isTossupError(await collect(visitor.watchTallies('never-was')).over, 'NOT_FOUND')).toBe(true)
  })
})

test('a service without room for a stream is polled instead', async () => {
  const service = await startTestService('sqlite', { settings: { STREAMS: '1' } })
  try {
    const poll = await service.createPoll(await service.createBrand())
    const { asked, fetch } = listening((response, path) => {
      // Shortens the delay that the service asks for.
      if (path === '/tallies/stream' && !response.ok) response.headers.set('Retry-After', '0')
      return response
    })
    const visitor = new Visitor({ url: service.service.url, fetch })
    const leaving = new AbortController()
    const first = collect(visitor.watchTallies(poll.slug, { signal: leaving.signal }))
    await first.until(() => first.totals.length === 1)
    const second = collect(visitor.watchTallies(poll.slug, { signal: leaving.signal, pollEveryMs: 10 }))
    await second.until(() => second.totals.length === 1)
    await service.vote(poll.slug, 'A')
    await second.until(() => second.totals.at(-1) === 1)
    leaving.abort()
    expect([await first.over, await second.over]).toEqual(['ended', 'ended'])
    const refused = asked.filter(({ path, status }) => path === '/tallies/stream' && status >= 400)
    expect(refused.length).toBeGreaterThan(0)
  } finally {
    await service.stop()
  }
})

const untilAborted = (signal: AbortSignal): Promise<Response> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const silent = async (): Promise<Response> =>
  new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } })

function bodiless(response: Response): Response {
  void response.body?.cancel()
  return { ok: true, status: 200, headers: response.headers, body: undefined } as unknown as Response
}

test('events are complete, however their bytes are split', () => {
  const text = 'retry: 2500\r\n\r\n: a comment\n\nid: 7\nevent: tallies\ndata: {"a":\ndata: 1}\n\nid: 8\ndata:x\r\n\r\n'
  const whole = [
    { event: 'tallies', data: '{"a":\n1}' },
    { event: 'message', data: 'x' },
  ]
  for (let size = 1; size <= text.length; size++) {
    const reader = new EventReader()
    const events: StreamEvent[] = []
    for (let at = 0; at < text.length; at += size) events.push(...reader.take(text.slice(at, at + size)))
    expect(events).toEqual(whole)
  }
})
