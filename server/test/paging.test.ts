import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { transaction } from '../src/db/transaction.ts'
import { engines } from './engines.ts'
import { type PollData, type Reply, startTestService, type TestBrand, type TestService } from './service.ts'

const HOUR = 3_600_000
const POLLS = 25

interface Sorted {
  readonly slug: string
  readonly key: number
  readonly created: number
  readonly votes: number
  readonly closes: number | null
}

const descending =
  (value: (poll: Sorted) => number) =>
  (a: Sorted, b: Sorted): number =>
    value(b) - value(a) || b.key - a.key

/** Next to close first, then polls that never close, then closed polls, the latest first; ties in the same direction. */
function byClosing(now: number) {
  const rank = ({ closes, key }: Sorted): [number, number, number] => {
    if (closes === null) return [1, 0, key]
    return closes > now ? [0, closes, key] : [2, -closes, -key]
  }
  return (a: Sorted, b: Sorted): number => {
    const [left, right] = [rank(a), rank(b)]
    return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
  }
}

describe.each([...engines])('%s: pages', (engine) => {
  let service: TestService
  let brand: TestBrand
  let polls: { slug: string; key: number }[]
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
    for (let i = 0; i < POLLS; i++) await service.createPoll(brand)
    polls = await service.db.selectFrom('polls').select(['slug', 'key']).orderBy('key').execute()
  })
  afterAll(() => service.stop())

  const store = (sorted: readonly Sorted[]) =>
    transaction(service.deps.engine, async (tx) => {
      for (const { key, created, votes, closes } of sorted) {
        const values = { created_at: created, popularity: votes, closes_at: closes }
        await tx.updateTable('polls').set(values).where('key', '=', key).execute()
        await tx.updateTable('tallies').set({ option_a: votes }).where('poll_key', '=', key).execute()
      }
    })

  /** Follows the Link header from page to page, which must agree with the body. */
  async function walk(path: string, token?: string): Promise<string[]> {
    const slugs: string[] = []
    for (let next: string | null = path; next !== null; ) {
      const reply: Reply<PollData[]> = await service.get(next, token ? { token } : {})
      expect(reply.status).toBe(200)
      const { data, nextCursor, hasMore } = reply.body
      slugs.push(...data.map(({ slug }) => slug))
      expect(slugs.length).toBeLessThanOrEqual(POLLS)
      expect(hasMore).toBe(nextCursor !== null)
      const link: string | null = reply.headers.get('link')
      const target: string | undefined = link?.match(/^<(\/[^>]+)>; rel="next"$/)?.[1]
      expect(target ? new URL(target, 'http://x').searchParams.get('cursor') : null).toBe(nextCursor)
      next = target ?? null
    }
    return slugs
  }

  // spec: 4-8
  test('neither skip nor repeat a row, also among equal rows, in every order and size', async () => {
    const now = service.clock.now()
    const random = fc.record({
      created: fc.constantFrom(1_000, 2_000, 3_000),
      votes: fc.constantFrom(0, 1, 2),
      closes: fc.constantFrom(null, now - 2 * HOUR, now - HOUR, now + HOUR, now + 2 * HOUR),
    })
    const feed = `brands/${brand.slug}/polls`
    const model = fc.array(random, { minLength: POLLS, maxLength: POLLS })
    await fc.assert(
      fc.asyncProperty(model, fc.integer({ min: 1, max: POLLS + 1 }), async (values, limit) => {
        const sorted = values.map((value, i) => ({ ...value, ...(polls[i] ?? { slug: '', key: 0 }) }))
        await store(sorted)
        const slugs = (list: readonly Sorted[]) => list.map(({ slug }) => slug)
        const isOpen = ({ closes }: Sorted) => closes === null || closes > now
        const recent = sorted.toSorted(descending(({ created }) => created))
        const popular = sorted.toSorted(descending(({ votes }) => votes))
        const closing = sorted.toSorted(byClosing(now))
        const walks: [string, readonly Sorted[]][] = [
          [`${feed}?limit=${limit}`, recent],
          [`${feed}?status=open&limit=${limit}`, recent.filter(isOpen)],
          [`${feed}?limit=${limit}&order=popular`, popular],
          [`${feed}?order=popular&status=closed&limit=${limit}`, popular.filter((poll) => !isOpen(poll))],
          [`${feed}?order=closing&limit=${limit}`, closing],
        ]
        for (const [path, expected] of walks) expect([path, await walk(path)]).toEqual([path, slugs(expected)])
        expect(await walk(`brands/me/polls?limit=${limit}`, brand.token)).toEqual(slugs(recent))
        expect(await walk(`brands/me/polls?status=closed&q=TEA&limit=${limit}`, brand.token)).toEqual(
          slugs(recent.filter((poll) => !isOpen(poll))),
        )
      }),
      { numRuns: 8 },
    )
  })

  test('do not shift when rows are added before them, and lose only deleted rows', async () => {
    const own = 'brands/me/polls?limit=10'
    const stranger = await service.createBrand()
    const made: string[] = []
    for (let i = 0; i < 21; i++) made.unshift((await service.createPoll(stranger)).slug)
    const first = await service.get<PollData[]>(own, { token: stranger.token })
    await service.createPoll(stranger)
    const [gone] = made.splice(15, 1)
    await service.write('DELETE', `brands/me/polls/${gone}`, { token: stranger.token })
    const second = await service.get<PollData[]>(`${own}&cursor=${first.body.nextCursor}`, { token: stranger.token })
    const slugs = [...first.body.data, ...second.body.data].map(({ slug }) => slug)
    expect(slugs).toEqual(made)
    expect([second.body.nextCursor, second.body.hasMore, second.headers.get('link')]).toEqual([null, false, null])
  })

  // spec: 4-4, 8-2
  test('have 20 rows by default, and the same cursor for the same page', async () => {
    const path = `brands/${brand.slug}/polls`
    const [one, two] = [await service.get<PollData[]>(path), await service.get<PollData[]>(path)]
    expect(one.body.data).toHaveLength(20)
    expect(two.text).toBe(one.text)
    expect(two.headers.get('etag')).toBe(one.headers.get('etag'))
    const again = await service.get(path, { headers: { 'If-None-Match': one.headers.get('etag') ?? '' } })
    expect([again.status, again.text, again.headers.get('link')]).toEqual([304, '', one.headers.get('link')])
  })

  test('of an empty list are one empty page', async () => {
    const empty = await service.createBrand()
    for (const path of [`brands/${empty.slug}/polls`, 'brands/me/polls']) {
      const { body, headers } = await service.get(path, { token: empty.token })
      expect(body as unknown).toEqual({ data: [], nextCursor: null, hasMore: false })
      expect(headers.get('link')).toBeNull()
    }
  })
})
