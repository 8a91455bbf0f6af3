import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { hasWrk, type Plan, planArguments, readLoadResult, runLoad } from './load.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/

const seen = { reads: 0, notModified: 0, devices: new Set<string>(), paths: new Map<string, number>(), wrong: 0 }

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (request.method === 'GET') {
      seen.reads++
      if (request.headers.get('if-none-match') !== '"tag"') return new Response('a body')
      seen.notModified++
      return new Response(null, { status: 304 })
    }
    const device = request.headers.get('x-device-id') ?? ''
    const { option } = (await request.json()) as { option: string }
    if (!UUID.test(device) || seen.devices.has(device) || (option !== 'A' && option !== 'B')) seen.wrong++
    seen.devices.add(device)
    seen.paths.set(pathname, (seen.paths.get(pathname) ?? 0) + 1)
    return Response.json({}, { status: pathname === '/refused' ? 409 : 201 })
  },
})
afterAll(() => server.stop(true))

const url = `http://127.0.0.1:${server.port}`

describe.each(hasWrk ? (['wrk', 'own'] as const) : (['own'] as const))('the load of %s', (generator) => {
  beforeEach(() => {
    Object.assign(seen, { reads: 0, notModified: 0, devices: new Set(), paths: new Map(), wrong: 0 })
  })
  const run = (plan: Plan) => runLoad({ url, plan: { ...plan, most: plan.most ?? 300 }, seconds: 30, generator })

  test('votes with a new device each time, evenly over all polls', async () => {
    const result = await run({ reads: 0, votes: 1, votePaths: ['/one', '/two', '/three'] })
    const [one = 0, two = 0, three = 0] = ['/one', '/two', '/three'].map((path) => seen.paths.get(path))
    expect(seen.wrong).toBe(0)
    expect(one).toBeGreaterThan(10)
    expect(Math.max(one, two, three) - Math.min(one, two, three)).toBeLessThan(70)
    expect(result.requests).toBeLessThanOrEqual(seen.devices.size)
    expect(result.votesSent).toBeGreaterThanOrEqual(seen.devices.size)
    expect(seen.devices.size - result.requests).toBeLessThanOrEqual(64)
    expect(result).toMatchObject({ refused: 0, broken: 0 })
    expect(result.p50).toBeLessThanOrEqual(result.p99)
    expect(result.p99).toBeGreaterThan(0)
  })

  test('mixes reads and votes in the given ratio', async () => {
    await run({ reads: 19, votes: 1, readPath: '/read', votePaths: ['/one'] })
    expect(seen.devices.size).toBeGreaterThan(10)
    expect(seen.reads / seen.devices.size).toBeGreaterThan(15)
    expect(seen.reads / seen.devices.size).toBeLessThan(23)
  })

  test('counts refused requests, and counts 304 as an answer', async () => {
    const refused = await run({ reads: 0, votes: 1, votePaths: ['/refused'] })
    expect(refused.refused).toBe(refused.requests)
    const read = await run({ reads: 3, votes: 1, readPath: '/read', votePaths: ['/one'], etag: '"tag"' })
    expect(seen.notModified).toBe(seen.reads)
    expect(read.refused).toBe(0)
    expect(read.requests).toBeGreaterThan(10)
  })

  test('ends after the given number of requests', async () => {
    const startedAt = performance.now()
    const result = await run({ reads: 0, votes: 1, votePaths: ['/one'], most: 500 })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    // wrk does not stop in the middle of a round: each connection may send one more request.
    expect(result.votesSent).toBeGreaterThanOrEqual(500)
    expect(result.votesSent).toBeLessThan(500 + 64)
    // One request in flight on each connection, and one that wrk requests from the script first and never sends.
    expect(result.requests).toBeGreaterThanOrEqual(500 - 64 - 1)
    expect(result.seconds).toBeLessThan(10)
  })
})

test('the result is found in the output of wrk', () => {
  const output = `Running 1s test @ http://127.0.0.1:3000
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.97ms    9.80ms  99.10ms   95.42%
  13589 requests in 1.01s, 9.21MB read
Requests/sec:  13446.07
load {"requests":13589,"seconds":1.010630,"refused":2,"broken":0,"votesSent":13654,"p50":2.970,"p99":84.001}
`
  expect(readLoadResult(output)).toEqual({
    requests: 13_589,
    seconds: 1.01063,
    refused: 2,
    broken: 0,
    votesSent: 13_654,
    p50: 2.97,
    p99: 84.001,
  })
  expect(() => readLoadResult('Requests/sec:  13446.07')).toThrow('no result')
})

test('a plan is described in words', () => {
  expect(planArguments({ reads: 0, votes: 1, votePaths: ['/a', '/b'], most: 5 }, '0badcafe')).toEqual([
    'run=0badcafe',
    'reads=0',
    'votes=1',
    'most=5',
    'votePaths=/a,/b',
  ])
})
