import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { findPostgres, OwnPostgres } from './crash/own-postgres.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { LoopTime } from './loop-time.ts'
import { asAdmin } from './own-database.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

setDefaultTimeout(120_000)

const programs = engines.includes('postgres') ? await findPostgres() : null
const VOTERS = 8
/** The promised limit, with a margin for a busy machine. */
const HEALTHY_WITHIN_MS = 5_000 + 1_500

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

/** A primary whose commits wait for its standby, as it must be if a failover may lose nothing. */
async function startPair(): Promise<{ primary: OwnPostgres; standby: OwnPostgres; url: string }> {
  const primary = await OwnPostgres.create(programs ?? '')
  undo.push(() => primary.remove())
  await primary.start()
  const standby = await OwnPostgres.standbyOf(primary)
  undo.push(() => standby.remove())
  await standby.start()
  await asAdmin(primary.url, `alter system set synchronous_standby_names = '*'`)
  await asAdmin(primary.url, 'select pg_reload_conf()')
  const [first, second] = [new URL(standby.url), new URL(primary.url)]
  // The standby comes first: the order of the hosts does not say which one accepts writes.
  const url = `postgres://postgres@${first.host},${second.host}/postgres?target_session_attrs=read-write`
  return { primary, standby, url }
}

interface Cast {
  readonly device: string
  readonly status: number
}

/** Votes until it is told to end, each with a new device. */
async function voteUntil(signal: AbortSignal, service: TestService, slug: string): Promise<Cast[]> {
  const cast: Cast[] = []
  while (!signal.aborted) {
    const device = randomUUID()
    const { status } = await service.vote(slug, 'A', device)
    cast.push({ device, status })
    // Real time: a refused voter waits a moment.
    if (status !== 201) await Bun.sleep(20)
  }
  return cast
}

describe.if(programs !== null)('a primary that fails over to its standby under votes', () => {
  test.each(['killed', 'frozen'] as const)(
    'because it is %s: only 503 meanwhile, healthy within 5 s, nothing acknowledged is lost',
    async (how) => {
      const { primary, standby, url } = await startPair()
      const service = await startTestService('sqlite', { settings: { DATABASE_URL: url } })
      undo.push(() => service.stop())
      const brand = await service.createBrand()
      const { slug } = await service.createPoll(brand)
      const ending = new AbortController()
      const voting = Array.from({ length: VOTERS }, () => voteUntil(ending.signal, service, slug))
      const stored = async () => (await service.get<PollData>(`polls/${slug}`)).body.data.tallies.total
      await eventually(async () => (await stored()) > 100)
      await (how === 'killed' ? primary.kill() : primary.freeze())
      await asAdmin(standby.url, 'select pg_promote()')
      const time = new LoopTime()
      undo.push(async () => time.stop())
      const isOpen = async () =>
        (await service.get('/readyz')).status === 200 && (await service.vote(slug, 'B')).status === 201
      await eventually(isOpen, { withinMs: 30_000 })
      const healthyMs = time.now()
      const patch = { token: brand.token, json: { tags: ['after'] } }
      expect((await service.write('PATCH', `brands/me/polls/${slug}`, patch)).status).toBe(200)
      ending.abort()
      const cast = (await Promise.all(voting)).flat()
      expect(healthyMs).toBeLessThan(HEALTHY_WITHIN_MS)
      for (const { status } of cast) expect([201, 503]).toContain(status)

      // A repeat tells what became of each vote.
      const acknowledged = cast.filter(({ status }) => status === 201)
      for (const { device } of acknowledged) expect((await service.vote(slug, 'B', device)).status).toBe(409)
      const { rows } = await sql<{ votes: number; counted: number }>`select (select count(*) from votes) as votes,
        (select sum(option_a + option_b)::int from tallies) as counted`.execute(service.db)
      expect(rows[0]?.votes).toBe(rows[0]?.counted as number)
      expect(rows[0]?.votes).toBeGreaterThanOrEqual(acknowledged.length)
    },
  )

  test('without any primary the start says so, and names no password', async () => {
    const url = 'postgres://u:never-printed@127.0.0.1:1,127.0.0.1:2/db'
    const failure = await startTestService('sqlite', { settings: { DATABASE_URL: url } }).catch((error) =>
      String(error),
    )
    expect(failure).toMatch(/Cannot use DATABASE_URL: no host of DATABASE_URL accepts writes: .*ECONNREFUSED/)
    expect(failure).not.toContain('never-printed')
  })
})
