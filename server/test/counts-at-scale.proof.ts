import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { DAY, MINUTE } from '../src/base/clock.ts'
import { newShortId, newUuid } from '../src/base/ids.ts'
import { pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

// Runs alone: a summary of a year ends at the limit of a statement where other files take the processor.

/** A million votes; ten times as many (`10`) take four minutes to fill. */
const MILLIONS = 1
const DEVICES = 100_000 * MILLIONS
/** How many of ten devices vote on each poll of the campaign. */
const TENTHS = [10, 9, 5]
const POLLS = 1_000
const VOTES = 760 * MILLIONS
const MOST_WAIT_MS = 100
const LOOKS = 5
const READ_EVERY_MS = 2

/** Votes on a thousand polls, each open for a week of the last year. */
describe.each([...engines])('%s: counts of a million votes', (engine) => {
  let service: TestService
  let brand: TestBrand
  let campaignId: string
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
    const polls: PollData[] = []
    for (const tenths of TENTHS) polls.push(await service.createPoll(brand, { title: `${tenths} of 10?` }))
    await fill(polls)
    ;({ campaignId } = await createCampaign(service, brand, polls))
    while (
      await service.db
        .selectFrom('campaign_polls')
        .select('poll_key')
        .where(sql<boolean>`walked_to < walk_end`)
        .executeTakeFirst()
    ) {
      service.clock.advance(1_000)
      await service.runDue()
    }
  }, 1_800_000)
  afterAll(() => service.stop())

  const run = (statement: string) =>
    service.db.transaction().execute(async (tx) => {
      if (engine === 'postgres') await sql`set local statement_timeout = 0`.execute(tx)
      await sql.raw(statement).execute(tx)
    })

  async function createDevices(): Promise<void> {
    const device = engine === 'sqlite' ? 'randomblob(16)' : "decode(md5(n::text), 'hex')"
    const bytes = engine === 'sqlite' ? 'blob' : 'bytea'
    await run(`create table devices (n integer primary key, device ${bytes} not null)`)
    await run(`with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${DEVICES - 1})
      insert into devices (n, device) select n, ${device} from numbers`)
  }

  async function fill(polls: readonly PollData[]): Promise<void> {
    await createDevices()
    const { key: _, ...model } = await service.db.selectFrom('polls').selectAll().limit(1).executeTakeFirstOrThrow()
    const copies = Array.from({ length: POLLS - polls.length }, (_value, i) => ({
      ...model,
      id: newUuid(),
      short_id: newShortId(),
      slug: `filled-${i}`,
    }))
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
    for (const copy of copies)
      keys.push((await service.db.insertInto('polls').values(copy).returning('key').executeTakeFirstOrThrow()).key)
    const now = service.clock.now()
    for (const [i, key] of keys.entries()) {
      const tenths = TENTHS[i]
      const first = (i * 5_003) % (DEVICES - VOTES)
      const chosen = tenths ? `n % 10 < ${tenths}` : `n >= ${first} and n < ${first + VOTES}`
      const votes = tenths ? (DEVICES * tenths) / 10 : VOTES
      const began = now - 8 * DAY - Math.floor((i / POLLS) * 356 * DAY)
      await run(`insert into votes (poll_key, position, device, option, voted_at)
        select ${key}, row_number() over (order by n), device, case when n % 3 = 0 then 'B' else 'A' end,
          ${began} + row_number() over (order by n) * ${Math.floor((7 * DAY) / votes)}
        from devices where ${chosen}`)
      await run(`insert into vote_counts (poll_key, width, at, option_a, option_b)
        select ${key}, width, voted_at - voted_at % width, count(case when option = 'A' then 1 end), count(case when option = 'B' then 1 end)
        from votes cross join (select 60000 as width union all select 3600000) as widths where poll_key = ${key} group by 2, 3`)
      await run(`delete from tallies where poll_key = ${key}`)
      await run(`insert into tallies (poll_key, option_a, option_b, version, updated_at)
        select ${key}, count(case when option = 'A' then 1 end), count(case when option = 'B' then 1 end), 1, max(voted_at)
        from votes where poll_key = ${key}`)
    }
    await run('drop table devices')
    if (engine === 'postgres') await run('analyze')
  }

  /** How long the request takes, the longest turn of the event loop meanwhile, and what reads of a poll wait beside it. */
  async function measure(name: string, path: string) {
    service.clock.advance(MINUTE)
    brand = { ...brand, token: (await service.exchange(brand)).accessToken }
    const api = `${service.service.url}/api/rest/v1`
    const reads: number[] = []
    let longest = 0
    let isOver = false
    const reading = (async () => {
      while (!isOver) {
        const at = performance.now()
        await (await fetch(`${api}/polls/filled-7`)).text()
        reads.push(performance.now() - at)
        // Real time: as many reads as fit would take the processor from the count.
        await Bun.sleep(READ_EVERY_MS)
      }
    })()
    let turnAt = performance.now()
    const look = () => {
      longest = Math.max(longest, performance.now() - turnAt)
      turnAt = performance.now()
      // Real time: a look in each turn would take the processor, too.
      if (!isOver) setTimeout(look, 1)
    }
    look()
    const at = performance.now()
    const answer = await fetch(`${api}/brands/me/${path}`, { headers: { Authorization: `Bearer ${brand.token}` } })
    const { data } = (await answer.json()) as { data: never }
    const ms = performance.now() - at
    isOver = true
    await reading
    const p99 = reads.toSorted((left, right) => left - right)[Math.floor(reads.length * 0.99)] ?? 0
    process.stdout.write(
      `${engine}: ${name}: ${ms.toFixed(0)} ms; ${reads.length} reads of a poll beside it, p99 ${p99.toFixed(1)} ms; longest turn ${longest.toFixed(1)} ms\n`,
    )
    return { ms, p99, data }
  }

  const TOTAL = TENTHS.reduce((sum, tenths) => sum + (DEVICES * tenths) / 10, 0) + (POLLS - TENTHS.length) * VOTES

  test('a summary', async () => {
    for (const query of ['days=30', 'days=30', 'days=366', 'days=30&tz=Asia/Kolkata', 'days=366&tz=Asia/Kolkata']) {
      const { data } = await measure(`summary, ${query}`, `summary?${query}`)
      expect((data as { votes: { total: number } }).votes.total).toBe(TOTAL)
    }
  }, 600_000)

  /** Reads are answered between the parts of a count. Other work on the machine disturbs some of the looks, and a count in one piece all of them. */
  async function expectReadsBeside(name: string, path: string, expectCounts: (data: unknown) => void): Promise<void> {
    const waits: number[] = []
    while (waits.length < LOOKS && Math.min(...waits) >= MOST_WAIT_MS) {
      const { data, p99 } = await measure(name, path)
      expectCounts(data)
      waits.push(p99)
    }
    expect(Math.min(...waits)).toBeLessThan(MOST_WAIT_MS)
  }

  test('a funnel', async () => {
    for (let i = 0; i < 2; i++) {
      await expectReadsBeside('funnel', `campaigns/${campaignId}/funnel`, (data) => {
        const { steps, respondents, completed } = data as {
          steps: { respondents: number }[]
          respondents: number
          completed: number
        }
        expect([steps.map((step) => step.respondents), respondents, completed]).toEqual([
          TENTHS.map((tenths) => (DEVICES * tenths) / 10),
          DEVICES,
          DEVICES / 2,
        ])
      })
    }
  }, 600_000)

  test('a crosstab and an insight', async () => {
    const { data: steps } = await service
      .get<{ steps: { slug: string }[] }>(`brands/me/campaigns/${campaignId}/funnel`, {
        token: brand.token,
      })
      .then(({ body }) => body)
    const [rows, columns] = steps.steps.map(({ slug }) => slug)
    const path = `campaigns/${campaignId}/crosstab?rows=${rows}&columns=${columns}`
    const both = DEVICES * (Math.min(TENTHS[0] ?? 0, TENTHS[1] ?? 0) / 10)
    await expectReadsBeside('crosstab of the two polls with the most votes', path, (data) =>
      // All who voted on both chose the same option on both.
      expect(data).toMatchObject({
        respondents: both,
        cells: [
          [expect.any(Number), 0],
          [0, expect.any(Number)],
        ],
      }),
    )
    const insight = await measure('insight', `polls/${rows}/insight`)
    expect(insight.data).toMatchObject({ votes: (DEVICES * (TENTHS[0] ?? 0)) / 10, verdict: 'leading', leader: 'A' })
  }, 600_000)
})
