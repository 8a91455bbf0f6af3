import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFile, mkdtemp, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Readiness } from '../src/features/votes/readiness.ts'
import { engines } from './engines.ts'
import { ADMIN_URL, asAdmin, createDatabase, type OwnDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestService } from './service.ts'
import { canMount, mountSmall, unmount } from './small-disk.ts'

setDefaultTimeout(60_000)

/** How long an answer of `/readyz` is cached. */
const KEPT_MS = 1_000

const startWithPoll = async (...options: Parameters<typeof startTestService>) => {
  const service = await startTestService(...options)
  return { service, poll: await service.createPoll(await service.createBrand()) }
}

/** The answers to a vote and to `/readyz`, after the cached answer of `/readyz` has expired. */
async function askBoth(service: TestService, { slug }: PollData): Promise<number[]> {
  await Bun.sleep(KEPT_MS + 50)
  return [(await service.vote(slug, 'A')).status, (await service.get('/readyz')).status]
}

describe.each([...engines])('%s: /readyz', (engine) => {
  let service: TestService
  let poll: PollData
  beforeAll(async () => {
    ;({ service, poll } = await startWithPoll(engine))
  })
  afterAll(() => service.stop())

  const checkedAt = async () =>
    (await service.db.selectFrom('readiness').select('checked_at').executeTakeFirstOrThrow()).checked_at

  test('stores something to say that votes can be stored, at most once a second', async () => {
    let [before, written, last, startedAt] = [0, 0, 0, 0]
    do {
      before = await checkedAt()
      startedAt = performance.now()
      const first = await Promise.all(Array.from({ length: 30 }, () => service.get('/readyz')))
      expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]))
      written = await checkedAt()
      expect(written).toBeGreaterThan(before)
      expect((await service.get('/readyz')).status).toBe(200)
      last = await checkedAt()
      // A machine that needed a second for that shows nothing.
    } while (performance.now() - startedAt >= KEPT_MS)
    expect(last).toBe(written)
    expect(await askBoth(service, poll)).toEqual([201, 200])
    expect(await checkedAt()).toBeGreaterThan(written)
  })

  test('is 503 while the queue of votes is full', async () => {
    const ledger = { isFull: false, counts: service.service.ledger.counts }
    const readiness = new Readiness({ engine: service.deps.engine, ledger })
    await readiness.check()
    ledger.isFull = true
    await expect(readiness.check()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    ledger.isFull = false
    await readiness.check()
  })

  test('is 503 if no answer comes within 2 seconds, and waits for it without a second query', async () => {
    let asked = 0
    const answer = Promise.withResolvers<void>()
    const probe = () => {
      asked++
      return answer.promise
    }
    const { votes, ...rest } = service.deps.engine
    const readiness = new Readiness({
      engine: { ...rest, votes: { ...votes, probe } },
      ledger: service.service.ledger,
    })
    const checks = [0, 1, 2].map(() => readiness.check())
    const outcomes = await Promise.allSettled(checks)
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } })
    answer.resolve()
    await readiness.check()
    expect(asked).toBe(1)
  })
})

describe.if(engines.includes('postgres'))('postgres: /readyz of a read-only database', () => {
  let database: OwnDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  async function makeReadOnly(isReadOnly: boolean): Promise<void> {
    const name = new URL(database.url).pathname.slice(1)
    await asAdmin(ADMIN_URL, `alter database ${name} set default_transaction_read_only = ${isReadOnly}`)
    // Open connections keep the setting with which they began.
    await asAdmin(
      ADMIN_URL,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    )
  }

  test('is 503 as every vote is, and both come back without a restart', async () => {
    const { service, poll } = await startWithPoll('postgres', { database })
    expect(await askBoth(service, poll)).toEqual([201, 200])
    await makeReadOnly(true)
    // The first request of each kind may use the connection that was just closed.
    await askBoth(service, poll)
    expect(await askBoth(service, poll)).toEqual([503, 503])
    await makeReadOnly(false)
    await askBoth(service, poll)
    expect(await askBoth(service, poll)).toEqual([201, 200])
    await service.stop()
  })
})

describe('sqlite: /readyz', () => {
  test('of a read-only database is 503 as every vote is, and both come back without a restart', async () => {
    const { service, poll } = await startWithPoll('sqlite')
    await sql`pragma query_only = on`.execute(service.db)
    expect(await askBoth(service, poll)).toEqual([503, 503])
    await sql`pragma query_only = off`.execute(service.db)
    expect(await askBoth(service, poll)).toEqual([201, 200])
    await service.stop()
  })

  test.if(canMount)('on a full disk is 503 as every vote is, and both come back when there is room', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tossup-mount-'))
    await mountSmall(dataDir, 8)
    try {
      const { service, poll } = await startWithPoll('sqlite', { settings: { DATA_DIR: dataDir }, keepsData: true })
      expect(await askBoth(service, poll)).toEqual([201, 200])
      const filler = join(dataDir, 'filler')
      await writeFile(filler, new Uint8Array(8 * 1_024 * 1_024)).catch((error) => expect(error.code).toBe('ENOSPC'))
      // The existing files may have space for a few more votes; after that both are refused.
      while ((await service.vote(poll.slug, 'A')).status === 201);
      for (let round = 0; round < 3; round++) expect(await askBoth(service, poll)).toEqual([503, 503])
      expect((await service.get(`polls/${poll.slug}`)).status).toBe(200)
      await rm(filler)
      expect(await askBoth(service, poll)).toEqual([201, 200])
      await service.stop()
    } finally {
      await unmount(dataDir)
      await rm(dataDir, { recursive: true })
    }
  })
})

describe('sqlite: a damaged database', () => {
  let service: TestService
  let poll: PollData
  let path: string
  const voter = crypto.randomUUID()
  beforeEach(async () => {
    ;({ service, poll } = await startWithPoll('sqlite', { migrates: true }))
    path = join(service.deps.config.dataDir, 'tossup.sqlite')
    expect((await service.vote(poll.slug, 'A', voter)).status).toBe(201)
    // Moves the rows from the log into the file.
    await sql`pragma wal_checkpoint(truncate)`.execute(service.db)
    expect([(await service.get('/readyz')).status, (await service.vote(poll.slug, 'A')).status]).toEqual([200, 201])
  })
  afterEach(() => service.stop())

  const half = async () => truncate(path, Math.floor((await stat(path)).size / 2))

  async function overwrite(): Promise<void> {
    const { size } = await stat(path)
    const file = await open(path, 'r+')
    for (let at = 4_096; at < size; at += 4_096) await file.write(new Uint8Array(4_096).fill(0xa5), 0, 4_096, at)
    await file.close()
    // Makes SQLite read from the file again.
    await sql`pragma shrink_memory`.execute(service.db)
  }

  async function replace(): Promise<void> {
    await copyFile(path, `${path}-copy`)
    await rename(`${path}-copy`, path)
  }

  test.each([
    ['cut to half', half, 'shorter than it was'],
    ['emptied', () => truncate(path, 0), 'shorter than it was'],
    ['written over', overwrite, 'malformed'],
    ['removed', () => rm(path), 'was removed'],
    ['replaced by a copy', replace, 'was replaced'],
    ['robbed of its log', () => rm(`${path}-wal`), 'was removed'],
    ['robbed of what its log holds', () => truncate(`${path}-wal`, 0), 'shorter than it was'],
    [
      'robbed of the end of its log',
      async () => truncate(`${path}-wal`, (await stat(`${path}-wal`)).size - 1),
      'shorter',
    ],
  ])('that is %s takes no vote from the next one on, and says so once', async (_, damage, reason) => {
    await damage()
    expect((await service.vote(poll.slug, 'A')).status).toBe(503)
    const [refused, ready] = [await service.vote(poll.slug, 'B'), await service.get('/readyz')]
    expect([refused.body.error.code, refused.headers.get('retry-after'), ready.status]).toEqual([
      'UNAVAILABLE',
      '2',
      503,
    ])
    // Reads that reach no damaged page go on, also those by device.
    if (reason !== 'malformed') {
      const own = await service.get<{ option: string }>(`polls/${poll.slug}/votes/me`, { device: voter })
      expect([own.status, own.body.data.option]).toEqual([200, 'A'])
      expect((await service.get(`polls/${poll.slug}`, { device: voter })).status).toBe(200)
    }
    // Nothing else is written either: the remaining data is left as it is for its repair.
    await expect(sql`update brands set name = 'x'`.execute(service.db)).rejects.toThrow()
    expect((await service.get('/livez')).status).toBe(200)
    const said = service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'fatal')
    expect(said.map(({ msg }) => msg)).toEqual([expect.stringContaining('the database is damaged')])
    expect(said[0].err.message).toContain(reason)
  })

  test('is still read by device', async () => {
    const device = crypto.randomUUID()
    expect((await service.vote(poll.slug, 'B', device)).status).toBe(201)
    await rm(path)
    expect((await service.vote(poll.slug, 'A')).status).toBe(503)
    const mine = await service.get(`polls/${poll.slug}/votes/me`, { device })
    expect([mine.status, mine.body]).toMatchObject([200, { data: { option: 'B' } }])
    await expect(sql`update brands set name = 'x'`.execute(service.db)).rejects.toThrow()
  })

  test('is noticed by a write of a brand as well', async () => {
    await truncate(`${path}-wal`, 0)
    await expect(
      service.db.transaction().execute((tx) => sql`update brands set name = 'x'`.execute(tx)),
    ).rejects.toThrow('shorter than it was')
  })

  test('is left as it is when the server stops', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tossup-damaged-'))
    const own = await startWithPoll('sqlite', { settings: { DATA_DIR: dataDir }, keepsData: true })
    await sql`pragma wal_checkpoint(truncate)`.execute(own.service.db)
    expect((await own.service.vote(own.poll.slug, 'A')).status).toBe(201)
    await truncate(join(dataDir, 'tossup.sqlite-wal'), 0)
    expect((await own.service.vote(own.poll.slug, 'B')).status).toBe(503)
    const before = await readFile(join(dataDir, 'tossup.sqlite'))
    await own.service.stop()
    expect((await readFile(join(dataDir, 'tossup.sqlite'))).equals(before)).toBe(true)
    await rm(dataDir, { recursive: true })
  })

  test('is noticed by a read as well', async () => {
    await overwrite()
    expect((await service.get('brands/nobody/polls?limit=3')).status).toBe(503)
    expect((await service.vote(poll.slug, 'A')).status).toBe(503)
  })

  test('is none that another process has made smaller with vacuum', async () => {
    await sql`create table large (filler blob)`.execute(service.db)
    await sql`insert into large (filler) values (zeroblob(1000000))`.execute(service.db)
    await sql`pragma wal_checkpoint(truncate)`.execute(service.db)
    expect((await service.vote(poll.slug, 'A')).status).toBe(201)
    const { size } = await stat(path)
    const other = new Database(path)
    for (const statement of ['pragma busy_timeout = 5000', 'drop table large', 'vacuum']) other.run(statement)
    other.run('pragma wal_checkpoint(truncate)')
    other.close()
    expect((await stat(path)).size).toBeLessThan(size)
    expect(await askBoth(service, poll)).toEqual([201, 200])
  })
})
