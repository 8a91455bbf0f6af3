import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newPlace, type Settings, tossup } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { isAlive, LoggedServer, LoggedServers, SOON } from './logged-server.ts'

// Several processes start one after the other.
setDefaultTimeout(60_000)

describe.if(engines.includes('postgres'))('several processes of one server (needs PostgreSQL)', () => {
  let servers: LoggedServers
  beforeEach(async () => {
    servers = await LoggedServers.open()
  })
  afterEach(() => servers.clear())

  test('a second SIGTERM ends all workers at once', async () => {
    const server = servers.start(['--workers', '2'], { DRAIN_SECONDS: '600' })
    await server.url()
    server.kill('SIGTERM')
    await server.said('not ready any more, and still serving', 2)
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(1)
    await eventually(() => !server.workerPids.some(isAlive), SOON)
    expect(server.workerPids).toHaveLength(2)
  })

  test('a process with the role worker answers only probes', async () => {
    const server = servers.start(['--role', 'worker'])
    const url = await server.url()
    const status = async (path: string) => (await fetch(url + path)).status
    expect(await Promise.all(['/livez', '/readyz', '/', '/api/rest/v1/polls/x', '/docs'].map(status))).toEqual([
      200, 200, 404, 404, 404,
    ])
    server.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
  })

  test('ports that are taken or reach each other stop the start', async () => {
    const metricsPort = freePort()
    const refused = async (settings: Settings) => {
      const ended = await tossup(['serve', '--workers', '2'], { ...servers.settings, LOG_LEVEL: 'error', ...settings })
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
    const server = new LoggedServer([], { ...place.settings, DRAIN_SECONDS: '600' })
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
    const server = new LoggedServer(['--workers', 'auto'], place.settings)
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
