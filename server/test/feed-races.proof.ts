import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { engines } from './engines.ts'
import { createDatabase } from './own-database.ts'
import { deletePoll, fromNow, HOUR, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(60_000)

const feedOf = (brand: TestBrand) => `brands/${brand.slug}/polls`

/** The page from memory, and the same page from rows: a request with any query bypasses the memory. */
async function bothPages(service: TestService, brand: TestBrand) {
  const kept = await service.get<PollData[]>(feedOf(brand))
  const made = await service.get<PollData[]>(`${feedOf(brand)}?limit=20`)
  return { kept, made }
}

describe.each([...engines])('%s: the first page of a feed, from memory, under changes', (engine) => {
  let service: TestService
  beforeAll(async () => {
    // A test goes weeks ahead: a job in the background would remove the tokens that are expired by then.
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  test('is what the database holds, after every answered change', async () => {
    let brand = await service.createBrand()
    const polls: string[] = []
    const pick = (at: number): string => polls[at % polls.length] ?? ''
    const patch = (at: number, fields: object) => patchPoll(service, brand, pick(at), fields)
    const doings: Record<string, (at: number) => Promise<unknown>> = {
      create: async (at) =>
        polls.push((await service.createPoll(brand, at % 3 ? {} : { opensAt: fromNow(HOUR * (at % 5)) })).slug),
      vote: (at) => service.vote(pick(at), at % 2 ? 'A' : 'B'),
      retitle: (at) => patch(at, { title: `Title ${at}` }),
      hide: (at) => patch(at, { isPrivate: at % 2 === 0 }),
      draft: (at) => patch(at, { isDraft: at % 2 === 0 }),
      archive: (at) => patch(at, { archived: at % 2 === 0 }),
      close: (at) => patch(at, { closesAt: at % 2 ? fromNow(HOUR * 30) : null }),
      conceal: (at) => patch(at, { resultsVisibility: at % 2 ? 'never' : 'always' }),
      delete: async (at) => {
        await deletePoll(service, brand, pick(at))
        polls.splice(at % polls.length, 1)
      },
      wait: async (at) => {
        service.clock.advance((at % 3) * HOUR)
        brand = { ...brand, token: (await service.exchange(brand)).accessToken }
      },
      read: async () => undefined,
    }
    const names = ['create', 'create', 'vote', 'vote', ...Object.keys(doings)]
    const step = fc.tuple(fc.constantFrom(...names), fc.nat(1_000))
    for (let i = 0; i < 22; i++) await doings['create']?.(i)
    let steps = 0
    for (const [name, at] of fc.sample(step, { numRuns: 150, seed: 7 })) {
      if (polls.length === 0) await doings['create']?.(1)
      await doings[name]?.(at)
      const { kept, made } = await bothPages(service, brand)
      expect([steps++, name, kept.body.data, kept.body.hasMore]).toEqual([
        steps - 1,
        name,
        made.body.data,
        made.body.hasMore,
      ])
      expect(kept.headers.get('cache-control')).toBe(made.headers.get('cache-control'))
    }
    service.clock.advance(-1_000 * HOUR)
    const { kept, made } = await bothPages(service, brand)
    expect(kept.body.data).toEqual(made.body.data)
  })

  test('never shows less than an answered vote or change, however many read meanwhile', async () => {
    const brand = await service.createBrand()
    const poll = await service.createPoll(brand, { title: '0' })
    let [answered, changed, isDone] = [0, 0, false]
    const readers = Array.from({ length: 6 }, async () => {
      while (!isDone) {
        const [votesBefore, changesBefore] = [answered, changed]
        const { body } = await service.get<PollData[]>(feedOf(brand))
        expect(body.data[0]?.tallies.total).toBeGreaterThanOrEqual(votesBefore)
        expect(Number(body.data[0]?.['title'])).toBeGreaterThanOrEqual(changesBefore)
      }
    })
    for (let round = 0; round < 40; round++) {
      const votes = Array.from({ length: 4 }, async () => {
        const { body } = await service.vote(poll.slug, 'A')
        answered = Math.max(answered, body.data.tallies.total)
      })
      await Promise.all(votes)
      expect((await service.get<PollData[]>(feedOf(brand))).body.data[0]?.tallies.total).toBe(answered)
      await patchPoll(service, brand, poll.slug, { title: String(round) })
      changed = round
    }
    isDone = true
    await Promise.all(readers)
  })

  test.if(engine === 'postgres')('never shows a text that a poll had while it was private', async () => {
    const database = await createDatabase()
    const one = await startTestService(engine, { database })
    const other = await startTestService(engine, { database })
    const brand = await one.createBrand()
    for (let round = 0; round < 5; round++) {
      const { slug } = await one.createPoll(brand, { title: 'not for all', isPrivate: true })
      expect((await other.get<PollData>(`polls/${slug}`)).body.data['title']).toBe('not for all')
      await patchPoll(one, brand, slug, { title: 'for all', isPrivate: false })
      const titles = async () => (await other.get<PollData[]>(feedOf(brand))).body.data.map((poll) => poll['title'])
      const allowed = Array.from({ length: round + 1 }, () => 'for all')
      for (let i = 0; i < 20; i++) expect(await titles()).not.toContain('not for all')
      // Real time: another server is right within a second.
      await Bun.sleep(1_000)
      expect(await titles()).toEqual(allowed)
    }
    await one.stop()
    await other.stop()
    await database.drop()
  })
})
