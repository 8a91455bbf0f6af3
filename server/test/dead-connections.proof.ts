import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { MemoryLimiter } from '../src/http/limits/memory-limiter.ts'
import { RedisLimiter } from '../src/http/limits/redis-limiter.ts'
import { engines, redisUrl } from './engines.ts'
import { eventually } from './eventually.ts'
import { LoopTime } from './loop-time.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'
import { TcpProxy } from './tcp-proxy.ts'

setDefaultTimeout(60_000)

/** The promised limit, with a margin for a busy machine. */
const NOTICED_WITHIN_MS = 5_000 + 1_000

describe.if(engines.includes('postgres'))('connections to PostgreSQL that died without a word', () => {
  let database: OwnDatabase
  let proxy: TcpProxy
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  let time: LoopTime

  beforeAll(async () => {
    time = new LoopTime()
    database = await createDatabase()
    proxy = new TcpProxy(database.url)
    await proxy.open()
    service = await startTestService('sqlite', { settings: { DATABASE_URL: proxy.url, DATABASE_POOL: '12' } })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
  })
  afterAll(async () => {
    await service.stop()
    await proxy.close()
    await database.drop()
    time.stop()
  })

  const timed = async (asking: Promise<Reply>) => {
    const askedAt = time.now()
    const { status } = await asking
    return { status, isSoon: time.now() - askedAt < NOTICED_WITHIN_MS }
  }
  const read = () => service.get('brands/me', { token: brand.token })
  const write = () =>
    service.write('PATCH', `brands/me/polls/${poll.slug}`, {
      token: brand.token,
      json: { tags: [randomUUID().slice(0, 8)] },
    })

  test('fail no read and no write, and keep no request for longer than 5 s', async () => {
    await Promise.all([...Array.from({ length: 30 }, read), service.vote(poll.slug, 'A')])
    expect(service.deps.engine.connections().open).toBeGreaterThan(5)
    proxy.forget()
    const reads = Array.from({ length: 20 }, () => timed(read()))
    const writes = Array.from({ length: 4 }, () => timed(write()))
    const vote = timed(service.vote(poll.slug, 'B'))
    for (const answer of await Promise.all(reads)) expect(answer).toEqual({ status: 200, isSoon: true })
    // Writes to one poll wait for one another: for the lock, 503 is right.
    for (const { status, isSoon } of await Promise.all(writes)) {
      expect([200, 503]).toContain(status)
      expect(isSoon).toBe(true)
    }
    // The vote may have been counted: only the voter's repeat can tell.
    const { status, isSoon } = await vote
    expect([201, 503]).toContain(status)
    expect(isSoon).toBe(true)
    const after = await Promise.all([...Array.from({ length: 20 }, read), write(), service.vote(poll.slug, 'A')])
    expect(after.map((reply) => reply.status)).toEqual([...Array.from({ length: 21 }, () => 200), 201])
  })
})

/** Ends every session of the database but its own, and waits until they have ended. */
const END_SESSIONS = `const db = new Bun.SQL(process.env.DATABASE_URL)
  await db.unsafe(\`select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()\`)
  await db.close()`

describe.if(engines.includes('postgres'))('sessions that PostgreSQL has ended', () => {
  let database: OwnDatabase
  let service: TestService

  beforeAll(async () => {
    database = await createDatabase()
    service = await startTestService('sqlite', { settings: { DATABASE_URL: database.url }, jobs: 'by hand' })
  })
  afterAll(async () => {
    await service.stop()
    await database.drop()
  })

  /** Blocks this process meanwhile, like a busy server: it cannot notice the end of a socket before it uses it. */
  function endSessions(): void {
    const env = { ...process.env, DATABASE_URL: database.url }
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', END_SESSIONS], { env })
    if (exitCode !== 0) throw new Error(stderr.toString())
  }
  const read = () => service.db.selectFrom('brands').select('key').execute()
  const readInTransaction = () =>
    service.db.transaction().execute((tx) => tx.selectFrom('brands').select('key').execute())

  test.each([
    ['read', read],
    ['transaction', readInTransaction],
  ])('fail no %s, however many connections are affected', async (_, ask) => {
    await Promise.all(Array.from({ length: 4 }, readInTransaction))
    const open = service.deps.engine.connections().open
    expect(open).toBeGreaterThan(3)
    endSessions()
    // No await between the end of the sessions and these requests.
    const answers = await Promise.all(Array.from({ length: 2 }, ask))
    expect(answers).toEqual([[], []])
  })
})

describe.if(redisUrl !== null)('a connection to Redis that died without a word', () => {
  test('is replaced, so that limits are shared again', async () => {
    const proxy = new TcpProxy(redisUrl ?? '')
    await proxy.open()
    const lines: string[] = []
    const note = (_: unknown, text?: string) => void lines.push(text ?? String(_))
    const log = { info: note, error: note } as unknown as ConstructorParameters<typeof RedisLimiter>[0]['log']
    let now = 0
    const limiter = new RedisLimiter({ url: proxy.url, log, fallback: new MemoryLimiter(), now: () => now })
    await limiter.connect()
    const quota = { policy: 'dead-connections' as never, quota: 1_000, windowSeconds: 60 }
    const take = async () => (await limiter.take([{ quota, key: randomUUID() }]))[0]
    expect((await take())?.isAllowed).toBe(true)
    proxy.forget()
    expect((await take())?.isAllowed).toBe(true)
    expect(lines.join()).toContain('Redis is unreachable')
    await eventually(async () => {
      now += 1_000
      await take()
      return lines.join().includes('Redis is reachable again')
    })
    limiter.close()
    await proxy.close()
  })
})
