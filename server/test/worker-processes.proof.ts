import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { isAlive, LoggedServers, SOON } from './logged-server.ts'

// Several processes start one after the other.
setDefaultTimeout(60_000)

describe.if(engines.includes('postgres'))(
  'the processes of one server, under load and killed (needs PostgreSQL)',
  () => {
    let servers: LoggedServers
    beforeEach(async () => {
      servers = await LoggedServers.open()
    })
    afterEach(() => servers.clear())

    test('two workers answer at one port; one that is killed is replaced, and SIGTERM ends all', async () => {
      const server = servers.start(['--workers', '2'])
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
    })

    test('SIGTERM during a rolling restart ends everything', async () => {
      const server = servers.start(['--workers', '2'])
      await server.url()
      server.kill('SIGUSR2')
      await server.said('leaving the port to the other workers')
      server.kill('SIGTERM')
      expect(await server.ended()).toBe(0)
      expect(server.lines.map(({ msg }) => msg)).not.toContain('all workers are restarted')
      expect(server.workerPids).toHaveLength(3)
      expect(server.workerPids.filter(isAlive)).toEqual([])
    })

    test('workers end when their supervisor is killed', async () => {
      const server = servers.start(['--workers', '2'])
      await server.url()
      await server.said('serving', 3)
      server.kill('SIGKILL')
      await eventually(() => !server.workerPids.some(isAlive), SOON)
      await server.ended()
    })

    test('each background job runs in one of the workers, and an event is delivered once', async () => {
      await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], servers.settings)
      const app = await tossupJson(['app', 'create', '--brand', 'acme', '--scopes', 'manage'], servers.settings)
      const ids: string[] = []
      const receiver = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch(request) {
          ids.push(request.headers.get('webhook-id') ?? '')
          return new Response(null, { status: 204 })
        },
      })
      const server = servers.start(['--workers', '3'], { WEBHOOK_ALLOW_PRIVATE: 'true' })
      const url = await server.url()
      await server.said('serving', 4)
      expect(server.lines.filter(({ msg, worker }) => msg === 'serving' && worker !== undefined)).toMatchObject([
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
  },
)
