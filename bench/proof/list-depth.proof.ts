import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from 'kysely'
import type { Position } from '../../server/src/db/keyset.ts'
import { respondentsOf, votersOf } from '../../server/src/features/analytics/voters.ts'
import { ownedPolls, publicFeed } from '../../server/src/features/polls/lists.ts'
import { pollKeyOf } from '../../server/test/ballot-box.ts'
import { createCampaign } from '../../server/test/campaigns.ts'
import { engines } from '../../server/test/engines.ts'
import { walkAll } from '../../server/test/responses.ts'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { castMany } from '../../server/test/voters.ts'

setDefaultTimeout(120_000)

const POLLS = 30_000
const STRETCH = 5_000
const NOW = 1_000_000_000

interface Fields {
  readonly closesAt?: string
  readonly createdAt?: string
}

/** The shortest time of each, measured alternately, so that other load on the machine affects all of them alike. */
async function timesOf<Name extends string>(
  works: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[]
  const best = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY])) as Record<Name, number>
  for (let round = 0; round < 15; round++)
    for (const name of names) {
      const startedAt = performance.now()
      await works[name]()
      best[name] = Math.min(best[name], performance.now() - startedAt)
    }
  return best
}

describe.each([...engines])('%s: lists of many polls', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine)
  })
  afterAll(() => service.stop())

  const brands = new Map<string, Promise<TestBrand>>()

  /** The tests only read these polls, so the same fields give the same brand. */
  function brandOf(fields: Fields, polls = POLLS): Promise<TestBrand> {
    const wanted = JSON.stringify([fields, polls])
    const brand = brands.get(wanted) ?? makeBrand(fields, polls)
    brands.set(wanted, brand)
    return brand
  }

  /** Identical polls except for the given fields, which are SQL expressions over `n`, the number of the poll from 1. */
  async function makeBrand(fields: Fields, polls: number): Promise<TestBrand> {
    const brand = await service.createBrand()
    const [closesAt, createdAt] = [fields.closesAt ?? 'null', fields.createdAt ?? '7']
    const name = `${brand.brandKey} || '-' || n`
    // In batches: one statement for all rows would exceed the statement timeout on a busy machine.
    for (let from = 0; from < polls; from += STRETCH) {
      const last = Math.min(from + STRETCH, polls)
      const before = service.db.selectFrom('polls').select(({ fn }) => fn.max('key').as('key'))
      const { key } = await before.executeTakeFirstOrThrow()
      await sql`with recursive numbers (n) as (
          select cast(${sql.lit(from + 1)} as integer) union all select n + 1 from numbers where n < ${sql.lit(last)})
        insert into polls (id, short_id, slug, brand_key, title, title_folded, label_a, label_b, is_draft, is_private,
          results_visibility, closes_at, created_at, updated_at)
        select 'i' || ${sql.raw(name)}, 's' || ${sql.raw(name)}, 'p' || ${sql.raw(name)}, ${sql.lit(brand.brandKey)},
          'A title', 'a title', 'A', 'B', 0, 0, 'always', ${sql.raw(closesAt)}, ${sql.raw(createdAt)}, 7
        from numbers`.execute(service.db)
      await sql`insert into tallies (poll_key, updated_at) select key, 7 from polls where key > ${sql.lit(key ?? 0)}`.execute(
        service.db,
      )
    }
    if (engine === 'postgres') await sql`analyze polls, tallies`.execute(service.db)
    return brand
  }

  const keyOf = async ({ brandKey }: TestBrand, number: number): Promise<number> => {
    const poll = service.db.selectFrom('polls').select('key').where('slug', '=', `p${brandKey}-${number}`)
    return (await poll.executeTakeFirstOrThrow()).key
  }

  const feed = (
    { brandKey }: TestBrand,
    filters: Partial<Parameters<typeof publicFeed>[2]>,
    after: Position | null = null,
  ) =>
    publicFeed(
      service.db,
      { brandKey, now: NOW, paging: { limit: 20, after } },
      {
        status: 'all',
        order: 'recent',
        ...filters,
      },
    )

  const own = ({ brandKey }: TestBrand, filters: Partial<Parameters<typeof ownedPolls>[2]>) =>
    ownedPolls(service.db, { brandKey, now: NOW, paging: { limit: 20, after: null } }, { order: 'recent', ...filters })

  test.each([
    ['recent', {}, (key: number): Position => [7, key]],
    ['popular', {}, (key: number): Position => [0, key]],
    ['closing', { closesAt: String(NOW + 5) }, (key: number): Position => [NOW + 5, key]],
    ['closing', {}, (key: number): Position => [10 ** 15, key]],
    ['closing', { closesAt: '5' }, (key: number): Position => [2 * 10 ** 15 - 5, key]],
  ] as const)('order %s %o: a page costs the same at any depth, though all polls are equal', async (...row) => {
    const [order, fields, position] = row
    const brand = await brandOf(fields)
    const isAscending = order === 'closing' && (!('closesAt' in fields) || fields.closesAt !== '5')
    const [near, far] = [await keyOf(brand, 100), await keyOf(brand, POLLS - 100)]
    const [early, late] = isAscending ? [near, far] : [far, near]
    expect((await feed(brand, { order }, position(late))).rows).toHaveLength(20)
    const { first, last } = await timesOf({
      first: () => feed(brand, { order }, position(early)),
      last: () => feed(brand, { order }, position(late)),
    })
    expect(last / first).toBeLessThan(3)
  })

  test('order closing: a page costs the same at any depth, where each poll closes at its own time', async () => {
    for (const [closesAt, positionOf] of [
      [`${NOW} + n`, (n: number) => NOW + n],
      ['n', (n: number) => 2 * 10 ** 15 - (POLLS - n)],
    ] as const) {
      const brand = await brandOf({ closesAt })
      const at = async (n: number): Promise<Position> => [positionOf(n), await keyOf(brand, n)]
      const [early, late] = [await at(100), await at(POLLS - 100)]
      const { first, last } = await timesOf({
        first: () => feed(brand, { order: 'closing' }, early),
        last: () => feed(brand, { order: 'closing' }, late),
      })
      expect(last / first).toBeLessThan(3)
    }
  })

  test('polls that a status filter excludes are not read', async () => {
    // So many rows that the fixed cost of a query hardly counts.
    const brand = await brandOf({ closesAt: 'case when n > 50 then 5 end', createdAt: 'n' }, 100_000)
    for (const order of ['recent', 'popular'] as const) {
      expect((await feed(brand, { order, status: 'open' })).rows.at(-1)?.slug).toBe(`p${brand.brandKey}-31`)
      const { filtered, read } = await timesOf({
        filtered: () => feed(brand, { order, status: 'open' }),
        read: () => own(brand, { q: { words: ['nothing'], reference: 'nothing' } }),
      })
      expect(filtered).toBeLessThan(read / 2)
    }
  })

  test('order closing looks for a status only where it can be', async () => {
    const brand = await brandOf({ closesAt: `${NOW} + n` })
    const { all, closed } = await timesOf({
      all: () => feed(brand, { order: 'closing' }),
      closed: () => feed(brand, { order: 'closing', status: 'closed' }),
    })
    expect((await feed(brand, { order: 'closing', status: 'closed' })).rows).toEqual([])
    expect(closed).toBeLessThan(3 * all)
  })

  test("a tag that other brands' polls have a thousand times costs a brand no more than its own polls", async () => {
    const crowd = await brandOf({})
    await sql`insert into poll_tags (poll_key, tag, place)
      select key, 'tea', 0 from polls where brand_key = ${sql.lit(crowd.brandKey)}`.execute(service.db)
    if (engine === 'postgres') await sql`analyze poll_tags`.execute(service.db)
    const brand = await service.createBrand()
    const { slug } = await service.createPoll(brand, { tags: ['tea'] })
    const { tagged, plain } = await timesOf({ tagged: () => own(brand, { tag: 'tea' }), plain: () => own(brand, {}) })
    expect((await own(brand, { tag: 'tea' })).rows.map((row) => row.slug)).toEqual([slug])
    expect(tagged).toBeLessThan(4 * plain)
  })

  test('a page of voters costs the same at any depth, also right after many votes', async () => {
    const poll = await service.createPoll(await service.createBrand())
    const pollKey = await pollKeyOf(service, poll)
    await castMany(service, pollKey, POLLS)
    const page = (below: number) => votersOf(service.db, { pollKey, paging: { limit: 20, after: [below, 0] } })
    const { first, last } = await timesOf({ first: () => page(POLLS), last: () => page(100) })
    expect(Math.max(last / first, first / last)).toBeLessThan(3)
  })

  test('a page of responses costs the same for a large campaign as for a small one, also right after many votes', async () => {
    const brand = await service.createBrand()
    const campaignOf = async (votes: number): Promise<number> => {
      const poll = await service.createPoll(brand)
      await castMany(service, await pollKeyOf(service, poll), votes)
      const { campaignId } = await createCampaign(service, brand, [poll, await service.createPoll(brand)])
      await walkAll(service)
      const campaign = service.db.selectFrom('campaigns').select('key').where('id', '=', campaignId)
      return (await campaign.executeTakeFirstOrThrow()).key
    }
    const [small, large] = [await campaignOf(100), await campaignOf(POLLS)]
    const page = (campaignKey: number) =>
      respondentsOf(service.deps.engine, { campaignKey, paging: { limit: 20, after: null } })
    expect((await page(large)).rows.map(({ votes }) => votes.length)).toEqual(Array.from({ length: 20 }, () => 1))
    const { few, many } = await timesOf({ few: () => page(small), many: () => page(large) })
    expect(many / few).toBeLessThan(4)
  })
})
