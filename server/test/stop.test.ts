import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Place, Serving } from './command.ts'
import { engines } from './engines.ts'
import { Caller, portOf, serveWithPoll, untilDraining, voteHead } from './stopping-server.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

describe.each([...engines])('%s: the end of a process', (engine) => {
  let place: Place
  let server: Serving
  let poll: string

  beforeEach(async () => {
    ;({ place, server, poll } = await serveWithPoll(engine))
  })
  afterEach(async () => {
    server.kill('SIGKILL')
    await server.ended
    await place.clear()
  })

  test('while the last request is awaited, new requests are answered 503 with Retry-After', async () => {
    const slow = new Caller(portOf(server))
    await slow.send(voteHead(poll, randomUUID(), 16))
    const kept = new Caller(portOf(server))
    await kept.send('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await kept.answer()).toStartWith('HTTP/1.1 200 ')
    server.kill('SIGTERM')
    await untilDraining(server)
    await kept.send('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await kept.answer()).toStartWith('HTTP/1.1 503 ')
    for (const path of ['/readyz', `/api/rest/v1/polls/${poll}`]) {
      const response = await fetch(server.url + path)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await response.json()).toMatchObject({ error: { code: 'UNAVAILABLE' } })
    }
    await slow.send('{"option": "A" }')
    expect(await slow.answer()).toStartWith('HTTP/1.1 201 ')
    expect((await server.ended).code).toBe(0)
  })

  test('SIGINT on an idle server with keep-alive connections: the process ends at once', async () => {
    const callers = Array.from({ length: 5 }, () => new Caller(portOf(server)))
    for (const caller of callers) {
      await caller.send('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
      expect(await caller.answer()).toStartWith('HTTP/1.1 200 ')
    }
    const toldAt = performance.now()
    server.kill('SIGINT')
    expect((await server.ended).code).toBe(0)
    expect(performance.now() - toldAt).toBeLessThan(8_000)
  })

  test('a second SIGTERM ends the process at once, without waiting for open work', async () => {
    const slow = new Caller(portOf(server))
    await slow.send(voteHead(poll, randomUUID(), 16))
    // Answered later than the head of the slow request was read.
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    server.kill('SIGTERM')
    await untilDraining(server)
    const toldAt = performance.now()
    server.kill('SIGTERM')
    expect((await server.ended).code).toBe(1)
    expect(performance.now() - toldAt).toBeLessThan(8_000)
    slow.close()
  })
})
