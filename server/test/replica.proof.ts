import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { examineReplica } from '../src/doctor/examine-services.ts'
import { isOwners, type Route, readsFromReplica } from '../src/http/route.ts'
import { findPostgres, OwnPostgres } from './crash/own-postgres.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { asAdmin } from './own-database.ts'
import { pgbouncer, startPgbouncer } from './own-pgbouncer.ts'
import { Scene } from './scene.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(180_000)

const programs = engines.includes('postgres') ? await findPostgres() : null
const READERS = 6
const READ_EVERY_MS = 10
const FILES = ['text/csv', 'application/x-ndjson']
/** The promised second, with a margin for a busy machine. */
const SOON_MS = 2_500

const isRead = ({ kind, spec }: Route): boolean => kind === 'plain' && spec.method === 'GET' && isOwners(spec)
const isListed = (route: Route): boolean => route.kind === 'plain' && readsFromReplica(route.spec)
const outcomesOf = ({ deps }: TestService) => ({ ...deps.engine.replica.outcomes })

/** Which server answers a read, after `seconds` on the replica alone. */
async function placeOf({ deps }: TestService, seconds = 0): Promise<'primary' | 'replica'> {
  const { rows } = await sql<{ is_replica: boolean }>`select pg_is_in_recovery() as is_replica,
    case when pg_is_in_recovery() then pg_sleep(${seconds})::text end`.execute(deps.engine.reads)
  return rows[0]?.is_replica ? 'replica' : 'primary'
}

const untilRead = (service: TestService) =>
  eventually(async () => (await placeOf(service)) === 'replica', { withinMs: 60_000, everyMs: 50 })

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now()
  const result = await work
  return { result, ms: performance.now() - startedAt }
}

const slugsOf = async (service: TestService, { token }: TestBrand): Promise<string[]> => {
  const { status, body } = await service.get<PollData[]>('brands/me/polls', { token })
  expect(status).toBe(200)
  return body.data.map(({ slug }) => slug)
}

/** Whether a read sees what a transaction wrote that did not wait for the disk. */
async function renamed({ deps: { engine } }: TestService, { brandKey }: TestBrand): Promise<boolean> {
  const name = randomUUID()
  await engine.relaxed((tx) => tx.updateTable('brands').set({ name }).where('key', '=', brandKey).execute())
  const read = await engine.reads.selectFrom('brands').select('name').where('key', '=', brandKey).executeTakeFirst()
  return read?.name === name
}

describe.if(programs !== null)('a replica', () => {
  let primary: OwnPostgres
  let standby: OwnPostgres
  const undo: (() => Promise<void>)[] = []

  beforeAll(async () => {
    primary = await OwnPostgres.create(programs ?? '')
    await primary.start()
    standby = await OwnPostgres.standbyOf(primary)
    await standby.start()
  })
  afterEach(async () => {
    for (const work of undo.splice(0).toReversed()) await work()
  })
  afterAll(async () => {
    await standby.remove()
    await primary.remove()
  })

  async function start(readUrl: string, settings: Record<string, string> = {}): Promise<TestService> {
    const service = await startTestService('sqlite', {
      jobs: 'by hand',
      settings: { DATABASE_URL: primary.url, DATABASE_READ_URL: readUrl, LOG_LEVEL: 'info', ...settings },
    })
    undo.push(() => service.stop())
    return service
  }

  test('answers every list, analysis and export as the primary does, and nothing else', async () => {
    // Of several hosts a standby is used, in any order.
    const readUrl = primary.url.replace(/(127[^/]*)/, `$1,${new URL(standby.url).host}`)
    const settings = { DATABASE_URL: primary.url, DATABASE_READ_URL: readUrl }
    const scene = await Scene.open('sqlite', { jobs: 'by hand', settings })
    const { service } = scene
    undo.push(() => service.stop())
    const alone = await startTestService('sqlite', { jobs: 'by hand', settings: { DATABASE_URL: primary.url } })
    undo.push(() => alone.stop())
    for (const option of ['A', 'B', 'A']) await service.vote(scene.poll.slug, option)
    await service.runDue()
    await untilRead(service)

    const listed = scene.routes.filter(isListed)
    expect(listed.map(({ spec }) => spec.name).sort()).toEqual([
      'getFunnel',
      'getIntegrity',
      'getSummary',
      'getTimeline',
      'listActivity',
      'listApps',
      'listInvitations',
      'listMembers',
      'listOwnCampaigns',
      'listOwnPolls',
      'listResponses',
      'listServedBrands',
      'listVoters',
      'listWebhookDeliveries',
      'listWebhooks',
    ])
    for (const route of listed) {
      const { path, ask } = await scene.valid(route)
      const hasFiles = route.kind === 'plain' && route.spec.exportAll !== undefined
      for (const accept of hasFiles ? ['application/json', ...FILES] : ['application/json']) {
        const asked = { ...ask, headers: { ...ask.headers, Accept: accept } }
        // On a busy machine the replica may be too late for one of them.
        await eventually(async () => {
          await untilRead(service)
          const before = outcomesOf(service)
          const [read, expected] = [await service.get(path, asked), await alone.get(path, asked)]
          const { replica, ...others } = outcomesOf(service)
          expect([route.spec.name, read.status, read.text]).toEqual([route.spec.name, 200, expected.text])
          return replica > before.replica && JSON.stringify({ ...before, ...others }) === JSON.stringify(before)
        })
      }
    }
    const others = scene.routes.filter((route) => isRead(route) && !isListed(route))
    expect(others.length).toBeGreaterThan(3)
    const before = outcomesOf(service)
    for (const route of others) await scene.send(route, await scene.valid(route))
    expect(outcomesOf(service)).toEqual(before)
  })

  test('that is behind hides nothing that was written, and holds up one read alone', async () => {
    const service = await start(standby.url)
    const brand = await service.createBrand()
    await untilRead(service)
    await asAdmin(standby.url, 'select pg_wal_replay_pause()')
    try {
      const polls: string[] = []
      for (let i = 0; i < 5; i++) {
        polls.unshift((await service.createPoll(brand)).slug)
        const { result, ms } = await timed(slugsOf(service, brand))
        expect(result).toEqual(polls)
        expect(ms).toBeLessThan(SOON_MS)
      }
      const { replica, behind } = outcomesOf(service)
      expect(behind).toBeGreaterThan(4)
      expect(service.deps.engine.replica.lagBytes).toBeGreaterThan(0)
      await slugsOf(service, brand)
      expect(outcomesOf(service).replica).toBe(replica)
    } finally {
      await asAdmin(standby.url, 'select pg_wal_replay_resume()')
    }
    await untilRead(service)
    expect(await slugsOf(service, brand)).toHaveLength(5)
  })

  test('shows what was written a moment before, under writes without a pause', async () => {
    const service = await start(standby.url)
    await untilRead(service)
    const before = outcomesOf(service)
    const writer = async () => {
      const brand = await service.createBrand()
      const polls: string[] = []
      for (let i = 0; i < 20; i++) {
        polls.unshift((await service.createPoll(brand)).slug)
        expect(await slugsOf(service, brand)).toEqual(polls.slice(0, 20))
        expect(await renamed(service, brand)).toBe(true)
      }
    }
    await Promise.all([writer(), writer(), writer()])
    expect(outcomesOf(service).replica).toBeGreaterThan(before.replica)
  })

  test('takes its time for a slow read while it answers', async () => {
    const service = await start(standby.url)
    await untilRead(service)
    expect(await placeOf(service, 1.5)).toBe('replica')
    const found = expect.stringMatching(/^follows the primary, \d+ bytes? behind$/)
    expect(await examineReplica(service.deps.config)).toEqual([expect.objectContaining({ status: 'ok', found })])
  })

  test('whose log removes what is being read gives the read to the primary', async () => {
    const service = await start(standby.url)
    const brand = await service.createBrand()
    await service.createPoll(brand)
    await untilRead(service)
    await asAdmin(standby.url, `alter system set max_standby_streaming_delay = '0'`)
    await asAdmin(standby.url, 'select pg_reload_conf()')
    // Real time: the other server has to read its settings.
    await Bun.sleep(200)
    const before = outcomesOf(service)
    const reading = placeOf(service, 6)
    await eventually(async () => {
      await asAdmin(primary.url, 'update polls set title = title')
      await asAdmin(primary.url, 'vacuum polls')
      return outcomesOf(service).failed > before.failed
    })
    expect(await reading).toBe('primary')
    await untilRead(service)
  })

  test.each(['killed', 'frozen'] as const)(
    'that is %s under reads is missed by nobody, and used when it is back',
    async (how) => {
      const service = await start(standby.url)
      const brand = await service.createBrand()
      const { slug } = await service.createPoll(brand)
      await untilRead(service)
      let isOver = false
      const waits: number[] = []
      const reader = async () => {
        while (!isOver) {
          const { result, ms } = await timed(slugsOf(service, brand))
          expect(result).toEqual([slug])
          waits.push(ms)
          // Real time: without a pause, most of the processor goes to these reads.
          await Bun.sleep(READ_EVERY_MS)
        }
      }
      const readers = Array.from({ length: READERS }, reader)
      const slow = placeOf(service, 8)
      // Real time: reads go on while the replica is there, and while it is not.
      await Bun.sleep(300)
      await (how === 'killed' ? standby.kill() : standby.freeze())
      try {
        const { result, ms } = await timed(slow)
        expect(result).toBe('primary')
        expect(ms).toBeLessThan(SOON_MS)
        await eventually(() => service.logLines.some((line) => line.includes('DATABASE_READ_URL is not read')))
        expect((await service.get('/readyz')).status).toBe(200)
      } finally {
        await (how === 'killed' ? standby.start() : standby.thaw())
      }
      await untilRead(service)
      expect(service.logLines.some((line) => line.includes('DATABASE_READ_URL is read again'))).toBe(true)
      isOver = true
      await Promise.all(readers)
      expect(Math.max(...waits)).toBeLessThan(SOON_MS)
    },
  )

  test('that is frozen, or was never there, holds up neither start nor stop', async () => {
    const service = await start(standby.url)
    await untilRead(service)
    await standby.freeze()
    try {
      const second = await start(standby.url)
      expect(await placeOf(second)).toBe('primary')
      for (const each of [service, second]) expect((await timed(each.stop())).ms).toBeLessThan(SOON_MS)
      undo.length = 0
    } finally {
      await standby.thaw()
    }
    const third = await start('postgres://postgres@127.0.0.1:1/postgres')
    await eventually(() => third.logLines.some((line) => line.includes('DATABASE_READ_URL is not read')))
    expect(await placeOf(third)).toBe('primary')
  })

  test.if(pgbouncer !== null)('works behind a PgBouncer that knows no prepared statements', async () => {
    const pooler = await startPgbouncer(standby.url)
    undo.push(pooler.stop)
    const service = await start(pooler.url, { DATABASE_PREPARE: 'false' })
    const brand = await service.createBrand()
    const { slug } = await service.createPoll(brand)
    await untilRead(service)
    const before = outcomesOf(service)
    const lists = await Promise.all(Array.from({ length: 20 }, () => slugsOf(service, brand)))
    for (const list of lists) expect(list).toEqual([slug])
    expect(outcomesOf(service).replica).toBeGreaterThan(before.replica)
  })

  test('that was promoted, or follows one that was, is not read', async () => {
    const service = await start(standby.url)
    await untilRead(service)
    const lastRead = outcomesOf(service).replica
    await asAdmin(standby.url, 'select pg_promote()')
    await eventually(async () => (await placeOf(service)) === 'primary')
    // Real time: it is tried again each second.
    await Bun.sleep(2_500)
    expect(await placeOf(service)).toBe('primary')
    expect(outcomesOf(service).replica).toBe(lastRead)
    await eventually(() => service.logLines.some((line) => line.includes('it is not a standby')))
    expect(await examineReplica(service.deps.config)).toEqual([
      expect.objectContaining({ status: 'warning', found: 'it is not a standby' }),
    ])

    // Its position is soon beyond that of the primary.
    await asAdmin(standby.url, 'create table beyond as select generate_series(1, 100000)')
    const follower = await OwnPostgres.standbyOf(standby)
    undo.push(() => follower.remove())
    await follower.start()
    const other = await start(follower.url)
    await eventually(() =>
      other.logLines.some((line) => /follows timeline 2, and the primary writes timeline 1/.test(line)),
    )
    expect(await placeOf(other)).toBe('primary')
  })

  test('of another database is not read', async () => {
    const stranger = await OwnPostgres.create(programs ?? '')
    undo.push(() => stranger.remove())
    await stranger.start()
    await asAdmin(stranger.url, 'create table beyond as select generate_series(1, 100000)')
    const follower = await OwnPostgres.standbyOf(stranger)
    undo.push(() => follower.remove())
    await follower.start()
    const service = await start(follower.url)
    await eventually(() => service.logLines.some((line) => line.includes('it is not a standby of the primary')))
    expect(await placeOf(service)).toBe('primary')
  })
})
