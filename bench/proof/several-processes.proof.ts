import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { migrationNames } from '../../server/src/db/migrate.ts'
import {
  ChildService,
  createHome,
  createOwner,
  expectStatus,
  type Home,
  inDatabase,
  type Launch,
  type Owner,
  OwnerClient,
} from '../../server/test/child-service.ts'
import { engines, redisUrl } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'
import { Receiver } from '../../server/test/receiver.ts'
import { StreamClient } from '../../server/test/stream-client.ts'

// Runs in a process of its own: six servers take half of the connections that PostgreSQL has room for, and four other files the rest.

setDefaultTimeout(600_000)

const AT_ONCE = 1_000
const KILLS = 50
const VOTES_PER_MINUTE = 10
/** A process that is soon killed ends before optimised code pays for its compilation. */
const SHORT_LIFE = { BUN_JSC_useDFGJIT: '0' }

describe.if(engines.includes('postgres'))('several processes on one PostgreSQL', () => {
  let home: Home
  let owner: Owner
  let processes: ChildService[]
  // Up to six processes: with the usual pools they would take most of PostgreSQL's 100 connections.
  const settings = {
    DATABASE_POOL: '4',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
  }

  const startAtOnce = (count: number, launch: Launch) =>
    Promise.all(Array.from({ length: count }, () => ChildService.start(home, launch)))

  const one = (at: number): ChildService => processes[at % processes.length] as ChildService

  const vote = async (at: number, poll: string, device: string = randomUUID()): Promise<number> => {
    const answer = await fetch(`${one(at).url}/api/rest/v1/polls/${poll}/votes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': device },
      body: '{"option":"A"}',
    })
    await answer.arrayBuffer()
    return answer.status
  }

  beforeAll(async () => {
    home = await createHome(ADMIN_URL)
    processes = await startAtOnce(4, { settings })
    owner = await createOwner(home, 'several')
  })
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()))
    await home.remove()
  })

  test('four that start at once on an empty database migrate it once', async () => {
    const rows = await inDatabase(
      home,
      async ({ engine }) => (await sql`select name from migrations`.execute(engine.db)).rows,
    )
    expect(rows).toHaveLength(migrationNames().length)
    for (const { url } of processes) expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  test('1,000 votes of one device at once through all of them are one vote, which all of them show', async () => {
    const client = await OwnerClient.connect(one(0).url, owner)
    await client.createPoll('one-device')
    const stream = await StreamClient.open(`${one(1).url}/api/rest/v1/polls/one-device/tallies/stream`)
    const device = randomUUID()
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => vote(at, 'one-device', device)))
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(AT_ONCE - 1)
    for (const { url } of processes) {
      const total = async () => {
        const answer = await fetch(`${url}/api/rest/v1/polls/one-device/tallies`)
        const { data } = (await expectStatus(answer, 200)) as { data: { tallies: { total: number } } }
        return data.tallies.total
      }
      await eventually(async () => (await total()) === 1)
    }
    await eventually(() => stream.totals.at(-1) === 1, { seen: () => stream.totals })
    stream.leave()
  })

  test.skipIf(redisUrl === null)('a limit holds for all of them together', async () => {
    const client = await OwnerClient.connect(one(0).url, owner)
    const polls = Array.from({ length: VOTES_PER_MINUTE * 3 }, (_, at) => `limited-${at}`)
    for (const poll of polls) await client.createPoll(poll)
    const unlimited = processes
    processes = await startAtOnce(2, { settings: { ...settings, VOTES_PER_MINUTE: String(VOTES_PER_MINUTE) } })
    try {
      const device = randomUUID()
      const statuses = await Promise.all(polls.map((poll, at) => vote(at, poll, device)))
      expect(statuses.filter((status) => status === 201)).toHaveLength(VOTES_PER_MINUTE)
      expect(statuses.filter((status) => status === 429)).toHaveLength(polls.length - VOTES_PER_MINUTE)
    } finally {
      await Promise.all(processes.map((process) => process.stop()))
      processes = unlimited
    }
  })

  test(`each event arrives, with one id, though the processes are killed ${KILLS} times`, async () => {
    const receiver = new Receiver()
    const first = await OwnerClient.connect(one(0).url, owner)
    await first.createPoll('renamed')
    const hook = await first.write('POST', 'brands/me/webhooks', { url: receiver.url, events: ['poll.updated'] })
    expect(hook.status).toBe(201)
    const acknowledged: string[] = []
    const ending = new AbortController()
    const writing = (async () => {
      for (let i = 0; !ending.signal.aborted; i++) {
        const title = `Title ${i}`
        const answer = await OwnerClient.connect(one(i).url, owner)
          .then((client) => client.write('PATCH', 'brands/me/polls/renamed', { title }))
          .catch(() => null)
        if (answer?.status === 200) acknowledged.push(title)
      }
    })()
    // Two are killed again and again at the same time; the other two live.
    const killing = [0, 1].map(async (at) => {
      for (let kill = 0; kill < KILLS / 2; kill++) {
        const before = acknowledged.length
        await one(at).kill()
        processes[at] = await ChildService.start(home, { settings: { ...settings, ...SHORT_LIFE } })
        await eventually(() => acknowledged.length > before, { withinMs: 60_000 })
      }
    })
    await Promise.all(killing)
    ending.abort()
    await writing
    const titleOf = (data: Record<string, unknown>) => (data['poll'] as { title: string }).title
    const arrived = () => new Set(receiver.received.map(({ payload }) => titleOf(payload.data)))
    const missing = () => acknowledged.filter((title) => !arrived().has(title))
    // A delivery that was cut off is repeated by another process.
    await eventually(() => missing().length === 0, { withinMs: 60_000, everyMs: 100, seen: missing })
    const ids = new Map<string, Set<string>>()
    for (const { id, payload } of receiver.received) {
      const title = titleOf(payload.data)
      ids.set(title, (ids.get(title) ?? new Set()).add(id))
    }
    expect([...ids].filter(([, of]) => of.size !== 1)).toEqual([])
    expect(receiver.fault).toBeNull()
    await receiver.stop()
  })
})
