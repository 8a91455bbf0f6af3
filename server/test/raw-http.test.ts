import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { eventually } from './eventually.ts'
import { leastOf } from './least-of.ts'
import { keyHeaders, type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

const until = (isTrue: () => boolean) => eventually(isTrue)

const ANSWER = /HTTP\/1\.1 (\d{3})/g

describe('raw HTTP', () => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  let path: string
  beforeAll(async () => {
    service = await startTestService('sqlite', { settings: { LOG_LEVEL: 'warn' } })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
    path = `/api/rest/v1/polls/${poll.slug}`
  })
  afterAll(() => service.stop())

  /** After any input, other requests are served, and the log contains no warning. */
  afterEach(async () => {
    expect((await service.get('/livez')).status).toBe(200)
    expect(service.logLines).toEqual([])
  })

  const open = (): Socket => connect(Number(new URL(service.service.url).port), '127.0.0.1')

  /** By then the server has read all that was sent before, and we have read its answers, also where the process was paused. */
  async function untilHandled(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await service.get('/livez')
  }

  /** Sends, and reads until the server closes, `enough` has been received, or nothing arrives for a while. */
  async function exchange(request: string, enough = (text: string) => text.endsWith('}')): Promise<string> {
    const socket = open()
    let text = ''
    const isDone = new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1')
        if (enough(text)) resolve()
      })
      socket.on('close', () => resolve())
      socket.on('error', () => resolve())
    })
    socket.write(Buffer.from(request, 'latin1'))
    // Real time: waits for a server that neither answers nor closes.
    await Promise.race([isDone, Bun.sleep(1_000).then(untilHandled)])
    socket.destroy()
    return text
  }

  const statuses = (text: string): number[] => [...text.matchAll(ANSWER)].map(([, status]) => Number(status))

  const get = (host: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n\r\n`

  test('a second Host header is refused with every value and on every path', async () => {
    for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhost: a', 'Host: a\r\nX: y\r\nHost:  ', 'Host: a, b']) {
      for (const target of [path, `${path}?a=1`, '/nowhere', '/livez', `${path}/votes`]) {
        const text = await exchange(`GET ${target} HTTP/1.1\r\n${hosts}\r\n\r\n`)
        expect([hosts, target, statuses(text)]).toEqual([hosts, target, [400]])
        expect(text).toContain('"code":"VALIDATION_ERROR"')
        expect(text).toContain('"path":"Host"')
      }
    }
  })

  test('a method that HTTP defines is 405 with Allow; Bun closes the connection at any other', async () => {
    for (const method of ['PROPFIND', 'TRACE', 'CONNECT', 'PURGE', 'SEARCH', 'QUERY', 'LINK', 'M-SEARCH']) {
      const text = await exchange(`${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect([method, statuses(text)]).toEqual([method, [405]])
      expect(text.toLowerCase()).toContain('allow: get, head, options')
    }
    for (const method of ['FOO', 'BREW', 'X-YZ', 'get', 'G'.repeat(5_000)])
      expect([method, await exchange(`${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)]).toEqual([method, ''])
  })

  test('any Host header is accepted, and none changes an answer', async () => {
    const hosts = [
      'x',
      '',
      'a b',
      '[',
      '[::1',
      'x:99999999',
      'x/evil?',
      'x#',
      'x?y',
      '\xff%',
      '%00',
      '@',
      'user:pass@evil.test',
      'evil.test:80',
    ]
    const odd = [`GET ${path} HTTP/1.0\r\n\r\n`, `GET http://evil.test${path} HTTP/1.1\r\nHost: x\r\n\r\n`]
    for (const request of [...hosts.map((host) => get(`Host: ${host}`)), ...odd]) {
      const text = await exchange(request)
      expect([request, statuses(text)]).toEqual([request, [200]])
      expect(text).toContain(`"slug":"${poll.slug}"`)
      expect(text).not.toContain('evil')
    }
    expect(statuses(await exchange(`GET ${path} HTTP/1.1\r\n\r\n`))).toEqual([400])
  })

  test('an unsupported method is 405 with Allow, or refused as malformed HTTP', async () => {
    for (const method of ['TRACE', 'PUT', 'PROPFIND', 'CONNECT', 'QUERY', 'LOCK', 'SEARCH']) {
      const text = await exchange(`${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Secret: mirror-me\r\n\r\n`)
      expect([method, statuses(text)]).toEqual([method, [405]])
      expect(text).toMatch(/\r\nAllow: GET, HEAD, OPTIONS\r\n/i)
      expect(text).toContain('"code":"METHOD_NOT_ALLOWED"')
      expect(text).not.toContain('mirror-me')
    }
    for (const method of ['BREW', 'get', 'G\tET', 'GET GET', '\0', 'X'.repeat(5_000)]) {
      const text = await exchange(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, () => false)
      expect([
        method.slice(0, 10),
        statuses(text).filter((status) => status < 400 || (status >= 500 && status !== 505)),
      ]).toEqual([method.slice(0, 10), []])
    }
  })

  test('a request target of any form reaches only routes of the service', async () => {
    for (const [target, status] of [
      ['/api/rest/v1/polls/../../../../etc/passwd', 404],
      ['//evil.test/livez', 404],
      ['/\\evil.test/livez', 404],
      ['/api/rest/v1/polls/\xff\xfe', 422],
      ['/api/rest/v1/polls/%zz', 422],
      ['/livez?%zz=%', 200],
      ['/livez#x', 200],
      [`/files/${'a'.repeat(10_000)}`, 404],
      [`/livez?${'a'.repeat(40_000)}`, 431],
    ] as const) {
      const text = await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect([target.slice(0, 50), statuses(text)]).toEqual([target.slice(0, 50), [status]])
    }
  })

  test('HEAD, 304 and 204 have no body and no Content-Length of another answer', async () => {
    const full = await exchange(get('Host: x'))
    const length = /content-length: (\d+)/i.exec(full)?.[1]
    const head = await exchange(`HEAD ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, (text) => text.endsWith('\r\n\r\n'))
    expect(/content-length: (\d+)/i.exec(head)?.[1]).toBe(length ?? 'none')
    expect(head.split('\r\n\r\n')[1]).toBe('')
    const etag = /etag: (\S+)/i.exec(full)?.[1]
    for (const request of [get(`Host: x\r\nIf-None-Match: ${etag}`), `OPTIONS ${path} HTTP/1.1\r\nHost: x\r\n\r\n`]) {
      const text = await exchange(request, (got) => got.endsWith('\r\n\r\n'))
      expect(text).toMatch(/^HTTP\/1\.1 (304|204) /)
      expect(text).not.toMatch(/content-length|transfer-encoding/i)
    }
  })

  const vote = (headers: string, body: string) =>
    `POST ${path}/votes HTTP/1.1\r\nHost: x\r\nX-Device-Id: ${randomUUID()}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`

  test('an ambiguous request is refused, and no request smuggled behind it is run', async () => {
    const hidden = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
    const body = '{"option":"A"}'
    const shapes: [string, string][] = [
      ['Content-Length: 14\r\nContent-Length: 0', body],
      ['Content-Length: 0\r\nContent-Length: 14', body],
      ['Content-Length: +14', body],
      ['Content-Length: -1', body],
      ['Content-Length: 0x0e', body],
      ['Content-Length: 14, 14', body],
      ['Content-Length: 99999999999999999999', body],
      ['Content-Length: 14\r\nTransfer-Encoding: chunked', `e\r\n${body}\r\n0\r\n\r\n`],
      ['Transfer-Encoding: chunked\r\nContent-Length: 4', '0\r\n\r\n'],
      ['Transfer-Encoding: xchunked', body],
      ['Transfer-Encoding: chunked, identity', '0\r\n\r\n'],
      ['Transfer-Encoding: identity, chunked, x', '0\r\n\r\n'],
      ['Transfer-Encoding : chunked', '0\r\n\r\n'],
      ['Transfer-Encoding: chunked', `zz\r\n${body}\r\n0\r\n\r\n`],
      ['Transfer-Encoding: chunked', `-e\r\n${body}\r\n0\r\n\r\n`],
      ['Transfer-Encoding: chunked', `ffffffffffffffffff\r\n${body}\r\n0\r\n\r\n`],
      ['Content-Length : 14', body],
      [' Content-Length: 14', body],
      ['Content-Length: 14\r\n folded: x', body],
      ['X-Nul: a\0b\r\nContent-Length: 14', body],
      ['X-Cr: a\rb\r\nContent-Length: 14', body],
    ]
    const { total } = (await service.get<PollData>(`polls/${poll.slug}`)).body.data.tallies
    for (const [headers, sent] of shapes) {
      const text = await exchange(vote(headers, sent + hidden), () => false).then((got) => got)
      expect([headers, statuses(text).filter((status) => status < 400 || status > 431)]).toEqual([headers, []])
    }
    expect((await service.get<PollData>(`polls/${poll.slug}`)).body.data.tallies.total).toBe(total)
  })

  test('consecutive requests on one connection are kept apart, however their bodies are framed', async () => {
    const body = '{"option":"A"}'
    const requests = [
      vote('Content-Length: 14', body),
      get('Host: x'),
      // The last one: trailers may follow it, so its answer ends the connection.
      vote('Transfer-Encoding: chunked', `5\r\n{"opt\r\n9;x=y\r\nion":"A"}\r\n0\r\n\r\n`),
    ]
    const socket = open()
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const answered = statuses(text).length
      if (text.endsWith('}') && answered < requests.length) socket.write(requests[answered] ?? '')
    })
    socket.write(requests[0] ?? '')
    await until(() => statuses(text).length === 3)
    socket.destroy()
    expect(statuses(text)).toEqual([201, 200, 201])
  })

  // Bun closes a connection if a request arrives before the previous one is answered. The client sees that its requests
  // were not answered, and no other client is affected.
  test('a pipelined request is answered in order or not at all', async () => {
    const body = '{"option":"A"}'
    const two = vote('Content-Length: 14', body) + vote('Content-Length: 14', body)
    const text = await exchange(two, (got) => statuses(got).length === 2 && got.endsWith('}'))
    expect([[], [201], [201, 201]]).toContainEqual(statuses(text))
    const rows = await service.db.selectFrom('votes').select('position').orderBy('position').execute()
    expect(rows.map((row) => row.position)).toEqual(rows.map((_, i) => i + 1))
  })

  test('a refused body is drained, or its connection closed, and never read as a request', async () => {
    const hidden = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
    const stuffed = hidden.repeat(2_500).slice(0, 80_000)
    const small = await exchange(
      vote('Content-Length: 80000', stuffed) + get('Host: x'),
      (got) => statuses(got).length === 2 && got.endsWith('}'),
    )
    expect(statuses(small)).toEqual([413, 200])
    expect(small).toContain('PAYLOAD_TOO_LARGE')
    const large = await exchange(vote('Content-Length: 80000000', stuffed), () => false)
    expect(statuses(large)).toEqual([413])
    expect(large).toMatch(/connection: close/i)
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const endless = await exchange(vote('Transfer-Encoding: chunked', chunk.repeat(40)), () => false)
    expect(statuses(endless)).toEqual([413])
    expect(endless).toMatch(/connection: close/i)
  })

  test('many slow clients do not delay others, and are served when their requests are complete', async () => {
    const slow: Socket[] = []
    const request = vote('Content-Length: 14', '{"option":"A"}')
    const twentyVotes = async () => {
      for (const socket of slow.splice(0)) socket.destroy()
      for (let i = 0; i < 200; i++) {
        const socket = open().on('error', () => {})
        socket.write(request.slice(0, i % 2 === 0 ? 20 : -5))
        slow.push(socket)
      }
      const startedAt = performance.now()
      for (let i = 0; i < 20; i++) expect((await service.vote(poll.slug, 'B')).status).toBe(201)
      return performance.now() - startedAt
    }
    expect(await leastOf(2_000, twentyVotes)).toBeLessThan(2_000)
    const last = slow[1]
    const answered = new Promise<string>((resolve) => last?.once('data', (bytes) => resolve(bytes.toString('latin1'))))
    last?.write(request.slice(-5))
    expect(statuses(await answered)).toEqual([201])
    for (const socket of slow) socket.destroy()
  })

  test('a client that disconnects during its request or its answer causes no error', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const token = Object.entries(keyHeaders(brand)).map(([name, value]) => `${name}: ${value}`)
    const partial = [
      vote('Content-Length: 60000', '{"option"'),
      vote('Transfer-Encoding: chunked', '5\r\n{"opt\r\n'),
      `POST /api/rest/v1/auth/token HTTP/1.1\r\nHost: x\r\n${token.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`,
      get('Host: x'),
      `POST /api/rest/v1/brands/me/polls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${brand.token}\r\nX-Service-Idempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"title"`,
    ]
    const before = await service.db.selectFrom('polls').select('key').execute()
    for (const request of Array.from({ length: 20 }, () => partial).flat()) {
      const socket = open()
      socket.on('error', () => {})
      await new Promise((resolve) => socket.write(request, resolve))
      if (Math.random() < 0.5) socket.resetAndDestroy()
      else socket.destroy()
    }
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    // Real time: long enough to show that no promise is rejected.
    await Bun.sleep(50)
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
    expect(await service.db.selectFrom('polls').select('key').execute()).toEqual(before)
  })

  test('a request with trailers is answered once, whether or not they come with the body', async () => {
    const vote = '{"option":"A"}'
    for (const [ends, expected] of [
      [['0\r\nX-Sum: 1\r\n\r\n'], 400],
      [['0\r\n', 'X-Sum: 1\r\n\r\n'], 201],
    ] as const) {
      const { slug } = await service.createPoll(brand)
      const socket = open()
      let text = ''
      socket.on('data', (bytes) => (text += bytes.toString('latin1')))
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.write(
        `POST /api/rest/v1/polls/${slug}/votes HTTP/1.1\r\nHost: x\r\nX-Device-Id: ${randomUUID()}\r\n` +
          'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n' +
          `${vote.length.toString(16)}\r\n${vote}\r\n${ends[0]}`,
      )
      await until(() => statuses(text).length > 0)
      if (ends[1]) socket.write(ends[1])
      await closed
      expect([ends, statuses(text)]).toEqual([ends, [expected]])
    }
  })
})
