import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { newPlace, type Place, type Settings, spawnTossup, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'

// PostgreSQL connections: 20

// Several processes start one after the other.
setDefaultTimeout(60_000)
const SOON = { withinMs: 50_000 }

const OTHER_SERVER = 'another server uses this database'
const LIMITS_OFF = { VOTES_PER_MINUTE: '1000000', NETWORK_VOTES_PER_MINUTE: '0', NETWORK_BRAND_VOTES_PER_MINUTE: '0' }

interface Line {
  readonly level: string
  readonly msg: string
  readonly worker?: number
  readonly pid?: number
  readonly pids?: number[]
}

/** `serve` with options, and its log as it is written. */
class Serving {
  readonly lines: Line[] = []
  readonly #child: ReturnType<typeof spawnTossup>
  readonly #read: Promise<unknown>
  #stdout = ''

  constructor(words: readonly string[], settings: Settings) {
    this.#child = spawnTossup(['serve', '--json', ...words], { PORT: '0', ...LIMITS_OFF, ...settings })
    this.#read = Promise.all([this.#readOutput(), this.#readLog()])
  }

  async url(): Promise<string> {
    const line = await eventually(() => /^.*\n/.exec(this.#stdout)?.[0], { ...SOON, seen: () => this.lines })
    return JSON.parse(line).url
  }

  kill(signal: 'SIGTERM' | 'SIGUSR2' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  get pid(): number {
    return this.#child.pid
  }

  get workerPids(): number[] {
    return this.lines.flatMap(({ worker, pid }) => (worker === undefined || pid === undefined ? [] : [pid]))
  }

  get ofOtherServer(): Line[] {
    return this.lines.filter(({ msg }) => msg.startsWith(OTHER_SERVER))
  }

  async ended(): Promise<number> {
    const code = await this.#child.exited
    await this.#read
    return code
  }

  /** Waits for a line of the log. */
  said = (msg: string, times = 1): Promise<Line> =>
    eventually(
      () => {
        const found = this.lines.filter((line) => line.msg.startsWith(msg))
        return found.length >= times && found.at(-1)
      },
      { ...SOON, seen: () => this.lines.map((line) => line.msg) },
    )

  async #readOutput(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of this.#child.stdout) this.#stdout += decoder.decode(chunk, { stream: true })
  }

  async #readLog(): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of this.#child.stderr) {
      const parts = (text + decoder.decode(chunk, { stream: true })).split('\n')
      text = parts.pop() ?? ''
      this.lines.push(...parts.map((line) => JSON.parse(line)))
    }
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.if(engines.includes('postgres'))('several processes of one server (needs PostgreSQL)', () => {
  let place: Place
  const servers: Serving[] = []
  const start = (words: readonly string[], settings: Settings = {}): Serving => {
    const server = new Serving(words, { ...place.settings, ...settings })
    servers.push(server)
    return server
  }

  beforeEach(async () => {
    place = await newPlace('postgres')
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.kill('SIGKILL')
      await server.ended()
    }
    await place.clear()
  })

  test('two workers answer at one port; one that is killed is replaced, and SIGTERM ends all', async () => {
    const server = start(['--workers', '2'])
    const url = await server.url()
    const { pids = [] } = await eventually(() => server.lines.find((line) => line.pids), SOON)
    expect(new Set([server.pid, ...pids]).size).toBe(3)
    expect(server.lines.filter(({ msg }) => msg.includes('REDIS_URL')).map(({ level }) => level)).toEqual(['warn'])
    process.kill(pids[1] ?? 0, 'SIGKILL')
    const died = await server.said('a worker died: another one is started')
    expect(died).toMatchObject({ level: 'error', worker: 1 })
    // Twice by the workers at first, once by the supervisor, and once by the new one.
    await server.said('serving', 4)
    for (let i = 0; i < 16; i++) {
      expect((await fetch(`${url}/livez`, { headers: { Connection: 'close' } })).status).toBe(200)
    }
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
    expect(server.workerPids.filter(isAlive)).toEqual([])
    expect(server.ofOtherServer).toEqual([])
  })

  test('SIGTERM during a rolling restart ends everything', async () => {
    const server = start(['--workers', '2'])
    await server.url()
    server.kill('SIGUSR2')
    await server.said('leaving the port to the other workers')
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
    expect(server.lines.map(({ msg }) => msg)).not.toContain('all workers are restarted')
    expect(server.workerPids).toHaveLength(3)
    expect(server.workerPids.filter(isAlive)).toEqual([])
  })

  test('a second SIGTERM ends all workers at once', async () => {
    const server = start(['--workers', '2'], { DRAIN_SECONDS: '600' })
    await server.url()
    server.kill('SIGTERM')
    await server.said('not ready any more, and still serving', 2)
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(1)
    await eventually(() => !server.workerPids.some(isAlive), SOON)
    expect(server.workerPids).toHaveLength(2)
  })

  test('workers end when their supervisor is killed', async () => {
    const server = start(['--workers', '2'])
    await server.url()
    await server.said('serving', 3)
    server.kill('SIGKILL')
    await eventually(() => !server.workerPids.some(isAlive), SOON)
    await server.ended()
  })

  test('each background job runs in one of the workers, and an event is delivered once', async () => {
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], place.settings)
    const app = await tossupJson(['app', 'create', '--brand', 'acme', '--scopes', 'manage'], place.settings)
    const ids: string[] = []
    const receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        ids.push(request.headers.get('webhook-id') ?? '')
        return new Response(null, { status: 204 })
      },
    })
    const server = start(['--workers', '3'], { WEBHOOK_ALLOW_PRIVATE: 'true' })
    const url = await server.url()
    await server.said('serving', 4)
    expect(server.lines.filter(({ worker }) => worker !== undefined)).toMatchObject([
      { worker: 0, role: 'all' },
      { worker: 1, role: 'api' },
      { worker: 2, role: 'api' },
    ])
    const ask = async (path: string, headers: Record<string, string>, json: object) => {
      const answer = await fetch(`${url}/api/rest/v1/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
        body: JSON.stringify(json),
      })
      expect([200, 201]).toContain(answer.status)
      return ((await answer.json()) as { data: Record<string, string> }).data
    }
    const key = { 'X-API-Key-ID': String(app['apiKeyId']), 'X-API-Key-Secret': String(app['apiKeySecret']) }
    const { accessToken } = await ask('auth/token', key, { externalDeviceId: 'x' })
    const write = (path: string, json: object) =>
      ask(path, { Authorization: `Bearer ${accessToken}`, 'X-Service-Idempotency-Key': randomUUID() }, json)
    await write('brands/me/webhooks', { url: receiver.url.href, events: ['poll.created'] })
    const created = 24
    for (let i = 0; i < created; i++) {
      await write('brands/me/polls', { title: `Tea ${i}?`, optionA: { label: 'Yes' }, optionB: { label: 'No' } })
    }
    await eventually(() => new Set(ids).size === created, { ...SOON, seen: () => ids.length })
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
    expect(ids).toHaveLength(created)
    await receiver.stop(true)
  })

  test('a process with the role worker answers only probes', async () => {
    const server = start(['--role', 'worker'])
    const url = await server.url()
    const status = async (path: string) => (await fetch(url + path)).status
    expect(await Promise.all(['/livez', '/readyz', '/', '/api/rest/v1/polls/x', '/docs'].map(status))).toEqual([
      200, 200, 404, 404, 404,
    ])
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
  })

  test('a second server without REDIS_URL and PUBLIC_URL is a warning of both, and no warning with them', async () => {
    const first = start([])
    await first.url()
    const second = start([], {
      REDIS_URL: process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379',
      PUBLIC_URL: 'https://polls.example',
    })
    await second.url()
    const warning = await first.said(OTHER_SERVER)
    expect(warning).toMatchObject({ level: 'warn', msg: expect.stringMatching(/REDIS_URL.*PUBLIC_URL/) })
    // The first one has heard the second, which has heard the first for as long.
    second.kill('SIGTERM')
    await second.ended()
    expect(second.ofOtherServer).toEqual([])
  })

  test('ports that are taken or reach each other stop the start', async () => {
    const metricsPort = freePort()
    const refused = async (settings: Settings) => {
      const ended = await tossup(['serve', '--workers', '2'], { ...place.settings, LOG_LEVEL: 'error', ...settings })
      expect(ended).toMatchObject({ code: 1, stdout: '' })
      return ended.stderr
    }
    const near = { PORT: String(metricsPort + 1), METRICS_PORT: String(metricsPort) }
    expect(await refused(near)).toMatch(/^METRICS_PORT is too near to PORT/)
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    expect(await refused({ PORT: String(taken.port) })).toMatch(/^PORT \d+ on 127\.0\.0\.1 is already in use/)
    const free = { PORT: String(metricsPort), METRICS_PORT: String(taken.port - 1) }
    expect(await refused(free)).toMatch(/^METRICS_PORT \d+ on 127\.0\.0\.1 is already in use/)
    expect(await refused({ HOST: 'no-such-host.invalid' })).toMatch(/^Cannot listen on HOST/)
    expect(await refused({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' })).toMatch(/^Cannot use DATABASE_URL/)
  })
})

describe.each([...engines])('%s: DRAIN_SECONDS', (engine) => {
  test('after SIGTERM /readyz says 503 while everything else is served, and a second SIGTERM ends the server', async () => {
    const place = await newPlace(engine)
    const server = new Serving([], { ...place.settings, DRAIN_SECONDS: '600' })
    try {
      const url = await server.url()
      server.kill('SIGTERM')
      await server.said('not ready any more, and still serving')
      const status = async (path: string) => (await fetch(url + path)).status
      expect(await Promise.all(['/readyz', '/livez', '/api/rest/v1/categories'].map(status))).toEqual([503, 200, 200])
      server.kill('SIGTERM')
      expect(await server.ended()).toBe(1)
    } finally {
      server.kill('SIGKILL')
      await server.ended()
      await place.clear()
    }
  })
})

test('several workers are refused with SQLite, and one or auto is a process without a supervisor', async () => {
  const place = await newPlace('sqlite')
  try {
    const refused = await tossup(['serve', '--workers', '2'], place.settings)
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^--workers 2 needs PostgreSQL/),
    })
    for (const role of ['api', 'worker']) {
      expect(await tossup(['serve', '--role', role], place.settings)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`--role ${role} needs PostgreSQL`),
      })
    }
    for (const wrong of ['0', '1000', 'many', '1.5']) {
      expect(await tossup(['serve', '--workers', wrong], place.settings)).toMatchObject({ code: 2, stdout: '' })
    }
    const server = new Serving(['--workers', 'auto'], place.settings)
    const url = await server.url()
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    server.kill('SIGUSR2')
    await server.said('SIGUSR2 restarts workers')
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
  } finally {
    await place.clear()
  }
})
