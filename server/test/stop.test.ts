import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { newPlace, type Place, type Serving, serve, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

const LIMITS_OFF = { VOTES_PER_MINUTE: '1000000', NETWORK_VOTES_PER_MINUTE: '0', TOKENS_PER_MINUTE: '1000000' }

describe.each([...engines])('%s: the end of a process', (engine) => {
  let place: Place
  let server: Serving
  let poll: string

  beforeEach(async () => {
    place = await newPlace(engine)
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], place.settings)
    const app = await tossupJson(['app', 'create', '--brand', 'acme', '--scopes', 'manage'], place.settings)
    server = await serve({ ...place.settings, ...LIMITS_OFF })
    poll = await createPoll(server.url, { id: String(app['apiKeyId']), secret: String(app['apiKeySecret']) })
  })
  afterEach(async () => {
    server.kill('SIGKILL')
    await server.ended
    await place.clear()
  })

  /** 'A' or 'B' if the vote was acknowledged, the status if it was refused, null if no answer came. */
  async function vote(device: string, option: string): Promise<string | number | null> {
    try {
      const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/votes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Device-Id': device },
        body: JSON.stringify({ option }),
      })
      const body = (await response.json()) as { data: { option: string } }
      return response.status === 201 ? body.data.option : response.status
    } catch {
      return null
    }
  }

  interface Cast {
    readonly device: string
    readonly answer: Promise<string | number | null>
  }

  const castMany = (count: number): Cast[] =>
    Array.from({ length: count }, (_, i) => {
      const device = randomUUID()
      return { device, answer: vote(device, i % 2 ? 'A' : 'B') }
    })

  async function ownVote(device: string): Promise<string | null> {
    const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/votes/me`, {
      headers: { 'X-Device-Id': device },
    })
    const body = (await response.json()) as { data: { option: string } }
    expect([200, 404]).toContain(response.status)
    return response.status === 200 ? body.data.option : null
  }

  /** After a restart, all acknowledged votes are stored, and the tally is their sum. */
  async function expectKept(votes: readonly Cast[], atLeast: number): Promise<void> {
    server = await serve({ ...place.settings, ...LIMITS_OFF })
    const kept: (string | null)[] = []
    // Not all at once: on a busy machine the last of hundreds would be answered 503.
    for (let at = 0; at < votes.length; at += 20)
      kept.push(...(await Promise.all(votes.slice(at, at + 20).map(({ device }) => ownVote(device)))))
    const acknowledged = await Promise.all(votes.map(({ answer }) => answer))
    for (const [i, option] of acknowledged.entries()) if (typeof option === 'string') expect(kept[i]).toBe(option)
    const stored = kept.filter((option) => option !== null)
    expect(stored.length).toBeGreaterThanOrEqual(atLeast)
    const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/tallies`)
    const { data } = (await response.json()) as { data: { tallies: unknown } }
    const optionA = stored.filter((option) => option === 'A').length
    expect(data.tallies).toEqual({ optionA, optionB: stored.length - optionA, total: stored.length })
  }

  async function isDraining(): Promise<void> {
    await eventually(async () => (await fetch(`${server.url}/readyz`)).status === 503)
  }

  test('SIGTERM during 500 votes and a slow request: requests in flight are answered, new ones are refused', async () => {
    const slow = new Caller(portOf(server))
    const device = randomUUID()
    await slow.send(voteHead(poll, device, 16))
    const idle = new Caller(portOf(server))
    await idle.send('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await idle.answer()).toStartWith('HTTP/1.1 200 ')

    const votes = castMany(500)
    await Promise.any(votes.map(async ({ answer }) => ((await answer) === null ? Promise.reject() : answer)))
    const toldAt = performance.now()
    server.kill('SIGTERM')
    const answers = await Promise.all(votes.map(({ answer }) => answer))
    await isDraining()
    expect(await vote(randomUUID(), 'A')).toBe(503)
    await slow.send('{"option": "A" }')
    expect(await slow.answer()).toStartWith('HTTP/1.1 201 ')

    const { code, stderr } = await server.ended
    expect(code).toBe(0)
    expect(performance.now() - toldAt).toBeLessThan(5_000)
    expect(stderr).toContain('"msg":"stopped"')
    expect(stderr).not.toContain('"level":"error"')
    expect(answers.filter((answer) => typeof answer === 'number' && answer !== 503)).toEqual([])
    const acknowledged = answers.filter((answer) => typeof answer === 'string').length
    expect(acknowledged).toBeGreaterThan(0)
    idle.close()
    slow.close()
    await expectKept([...votes, { device, answer: Promise.resolve('A') }], acknowledged + 1)
  })

  test('while the last request is awaited, new requests are answered 503 with Retry-After', async () => {
    const slow = new Caller(portOf(server))
    await slow.send(voteHead(poll, randomUUID(), 16))
    const kept = new Caller(portOf(server))
    await kept.send('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await kept.answer()).toStartWith('HTTP/1.1 200 ')
    server.kill('SIGTERM')
    await isDraining()
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
    expect(performance.now() - toldAt).toBeLessThan(3_000)
  })

  test('a second SIGTERM ends the process at once, without waiting for open work', async () => {
    const slow = new Caller(portOf(server))
    await slow.send(voteHead(poll, randomUUID(), 16))
    // Answered later than the head of the slow request was read.
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    server.kill('SIGTERM')
    await isDraining()
    const toldAt = performance.now()
    server.kill('SIGTERM')
    expect((await server.ended).code).toBe(1)
    expect(performance.now() - toldAt).toBeLessThan(3_000)
    slow.close()
  })

  test('kill -9 during votes: every acknowledged vote is stored', async () => {
    const votes = castMany(600)
    const acknowledged: unknown[] = []
    await new Promise<void>((resolve) => {
      for (const { answer } of votes) {
        void answer.then((said) => {
          if (typeof said === 'string' && acknowledged.push(said) === 100) resolve()
        })
      }
    })
    server.kill('SIGKILL')
    await server.ended
    const answers = await Promise.all(votes.map(({ answer }) => answer))
    expect(answers).toContain(null)
    await expectKept(votes, answers.filter((answer) => typeof answer === 'string').length)
  })
})

/** One raw connection: for requests in parts and for keep-alive connections. */
class Caller {
  readonly #socket: Socket
  #received = ''
  #isEnded = false

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (text) => {
      this.#received += text
    })
    for (const event of ['end', 'error', 'close']) {
      this.#socket.on(event, () => {
        this.#isEnded = true
      })
    }
  }

  send = (text: string): Promise<void> =>
    new Promise((resolve) => {
      this.#socket.write(text, () => resolve())
    })

  /** The text received since the last call, once it contains a whole answer or the connection has ended. */
  async answer(): Promise<string> {
    await eventually(() => this.#isEnded || /\r\n\r\n.+/s.test(this.#received))
    const received = this.#received
    this.#received = ''
    return received
  }

  close(): void {
    this.#socket.destroy()
  }
}

const portOf = ({ url }: Serving): number => Number(new URL(url).port)

const voteHead = (poll: string, device: string, length: number): string =>
  [
    `POST /api/rest/v1/polls/${poll}/votes HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    `X-Device-Id: ${device}`,
    '\r\n',
  ].join('\r\n')

async function createPoll(url: string, key: { id: string; secret: string }): Promise<string> {
  const post = async (path: string, { headers, json }: { headers: Record<string, string>; json: unknown }) => {
    const response = await fetch(`${url}/api/rest/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(json),
    })
    return ((await response.json()) as { data: Record<string, string> }).data
  }
  const tokens = await post('auth/token', {
    headers: { 'X-API-Key-ID': key.id, 'X-API-Key-Secret': key.secret },
    json: { externalDeviceId: 'x' },
  })
  const poll = await post('brands/me/polls', {
    headers: { Authorization: `Bearer ${tokens['accessToken']}`, 'X-Service-Idempotency-Key': randomUUID() },
    json: { title: 'Tea?', optionA: { label: 'Yes' }, optionB: { label: 'No' } },
  })
  return poll['slug'] ?? ''
}
