import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ChildService,
  createHome,
  createOwner,
  expectStatus,
  type Home,
  type Owner,
  OwnerClient,
} from '../../server/test/child-service.ts'
import { leastOf } from '../../server/test/least-of.ts'
import { type NameServer, startNameServer, type Zone } from '../../server/test/name-server.ts'

// Runs alone: it measures how soon votes are answered.

setDefaultTimeout(120_000)

const BRANDS = 3
const WEBHOOKS = 10
const VOTES = 400
const VOTE_EVERY_MS = 25
const EVENT_EVERY = 40
/** Allowed slowdown of votes beside slow names, compared at the same percentile with a server without slow names. */
const MOST_SLOWER_MS = 50
/** Running attempts have 5 s, and a server that does not stop is ended after 15 s. */
const STOPPED_WITHIN_MS = 12_000
/** The number of threads of a server started by hand on the smallest machine. */
const settings = { UV_THREADPOOL_SIZE: '2' }

const KINDS: readonly Zone[] = [
  { addresses: ['8.8.8.8'], afterMs: 4_000 },
  { ignores: ['A', 'AAAA'] },
  { code: 'SERVFAIL' },
]

const isSlow = (name: string): boolean => name.startsWith('slow')

/** Names of the server without slow names are refused at once. */
const zoneOf = (name: string): Zone =>
  (isSlow(name) ? KINDS[Number(/\d+/.exec(name)) % KINDS.length] : null) ?? { code: 'NXDOMAIN' }

interface Server {
  readonly service: ChildService
  readonly home: Home
  readonly clients: readonly OwnerClient[]
  readonly slug: string
}

async function startServer(preload: string): Promise<Server> {
  const home = await createHome(null)
  const owners: Owner[] = []
  for (let i = 0; i < BRANDS; i++) owners.push(await createOwner(home, `brand-${i}`))
  const service = await ChildService.start(home, { settings, preload })
  const clients = await Promise.all(owners.map((owner) => OwnerClient.connect(service.url, owner)))
  const slug = `poll-${randomUUID()}`
  await clients[0]?.createPoll(slug)
  return { service, home, clients, slug }
}

interface Answer {
  readonly status: number
  readonly ms: number
}

async function vote({ service, slug }: Server): Promise<Answer> {
  const askedAt = performance.now()
  const { status } = await fetch(`${service.url}/api/rest/v1/polls/${slug}/votes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Device-Id': randomUUID() },
    body: '{"option":"A"}',
  })
  return { status, ms: performance.now() - askedAt }
}

async function addWebhooks({ clients }: Server, kind: 'slow' | 'quick'): Promise<void> {
  for (const [brand, client] of clients.entries()) {
    for (let i = 0; i < WEBHOOKS; i++) {
      const url = `https://${kind}-${brand * WEBHOOKS + i}.example/`
      await expectStatus(await client.write('POST', 'brands/me/webhooks', { url, events: ['poll.created'] }), 201)
    }
  }
}

async function raiseEvents(servers: readonly Server[]): Promise<void> {
  for (const { clients } of servers) for (const client of clients) await client.createPoll(`event-${randomUUID()}`)
}

const percentile99 = (answers: readonly Answer[]): number =>
  answers.map(({ ms }) => ms).toSorted((left, right) => left - right)[Math.floor(answers.length * 0.99)] ?? 0

// On SQLite alone, whose log the server syncs itself; PostgreSQL syncs in its own processes.
describe('webhooks whose names are answered late, never and with SERVFAIL', () => {
  const servers: Server[] = []
  const preload = join(tmpdir(), `tossup-name-server-${randomUUID()}.mjs`)
  let names: NameServer
  beforeAll(async () => {
    names = await startNameServer(zoneOf)
    await writeFile(
      preload,
      `import { Resolver } from 'node:dns/promises'
      const { resolve4 } = Resolver.prototype
      // The first question to each resolver.
      Resolver.prototype.resolve4 = function (name) {
        this.setServers([${JSON.stringify(names.address)}])
        return resolve4.call(this, name)
      }`,
    )
    for (let i = 0; i < 2; i++) servers.push(await startServer(preload))
  })
  afterAll(async () => {
    for (const { service, home } of servers) {
      await service.stop()
      await home.remove()
    }
    await names.stop()
    await rm(preload)
  })

  test('delay no vote more than names that are refused at once', async () => {
    const [slow, quick] = servers
    if (!slow || !quick) throw new Error('no servers')
    await addWebhooks(slow, 'slow')
    await addWebhooks(quick, 'quick')
    const asked = () => new Set(names.questions.map(({ name }) => name).filter(isSlow)).size
    const slower = async () => {
      const ready: Promise<Response>[] = []
      const pairs: Promise<[Answer, Answer]>[] = []
      for (let i = 0; i < VOTES; i++) {
        if (i % EVENT_EVERY === 0) {
          await raiseEvents(servers)
          ready.push(fetch(`${slow.service.url}/readyz`))
        }
        // At the same moment, so that other work of the machine delays both.
        pairs.push(Promise.all([vote(slow), vote(quick)]))
        await Bun.sleep(VOTE_EVERY_MS)
      }
      const answers = await Promise.all(pairs)
      expect(answers.flat().filter(({ status }) => status !== 201)).toEqual([])
      const beside = percentile99(answers.map(([slowly]) => slowly))
      const alone = percentile99(answers.map(([, quickly]) => quickly))
      process.stdout.write(
        `p99 of votes: ${alone.toFixed(1)} ms, beside ${asked()} slow names ${beside.toFixed(1)} ms\n`,
      )
      expect((await Promise.all(ready)).map(({ status }) => status)).toEqual(ready.map(() => 200))
      return beside - alone
    }
    expect(await leastOf(MOST_SLOWER_MS, slower)).toBeLessThan(MOST_SLOWER_MS)
    expect(asked()).toBeGreaterThanOrEqual(2 * BRANDS)
  })

  test('that wait for their turn do not keep a server from stopping', async () => {
    const [slow] = servers
    if (!slow) throw new Error('no server')
    await raiseEvents([slow])
    const startedAt = performance.now()
    await slow.service.stop()
    expect(performance.now() - startedAt).toBeLessThan(STOPPED_WITHIN_MS)
  })
})
