import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY } from '../src/base/clock.ts'
import type { Summary } from '../src/features/analytics/schema.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { deletePoll, everyPage, fromNow, HOUR, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { castInThePast } from './timelines.ts'
import { castMany } from './voters.ts'
import { createWebhook, patchWebhook } from './webhooks.ts'

/** At the start of the tests it is about noon there: none of them runs into another day. */
const AHEAD = 12 - new Date().getUTCHours()
const ZONE = `Etc/GMT${AHEAD > 0 ? '-' : '%2B'}${Math.abs(AHEAD)}`
const TODAY = Math.floor((Date.now() + AHEAD * HOUR) / DAY) * DAY - AHEAD * HOUR

const noon = (daysAgo: number): number => TODAY + DAY / 2 - daysAgo * DAY

describe.each([...engines])('%s: the summary of a brand', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand', settings: { LOG_LEVEL: 'warn' } })
  })
  afterAll(() => service.stop())

  async function fresh(): Promise<TestBrand> {
    brand = await service.createBrand()
    return brand
  }

  /** Moves the clock to the next run of every job. */
  async function refresh(): Promise<void> {
    service.clock.advance(60_000)
    await service.runDue()
    brand = { ...brand, token: (await service.exchange(brand)).accessToken }
  }

  function ask(query = '') {
    const asked = query.includes('tz=') ? query : `${query}${query ? '&' : '?'}tz=${ZONE}`
    return service.get<Summary>(`brands/me/summary${asked}`, { token: brand.token })
  }

  async function summary(query = ''): Promise<Summary> {
    const reply = await ask(query)
    if (reply.status !== 200) throw new Error(reply.text)
    return reply.body.data
  }

  const vote = async (poll: PollData, votes: number) => castMany(service, await pollKeyOf(service, poll), votes)

  async function votedAgo(poll: PollData, daysAgo: readonly number[]): Promise<void> {
    const votes = daysAgo.map((days) => ({ option: 'A' as const, votedAt: noon(days) }))
    await castInThePast(service, await pollKeyOf(service, poll), votes)
  }

  test('of a new brand is zero everywhere', async () => {
    await fresh()
    const { points, ...rest } = await summary('?days=3')
    expect(rest).toEqual({
      votes: { today: 0, total: 0, span: 0, before: 0 },
      views: { today: 0, span: 0, before: 0 },
      polls: { open: 0, scheduled: 0, closed: 0, draft: 0, archived: 0 },
      top: [],
      webhooks: { active: 0, failing: 0 },
    })
    expect(points.map(({ at, votes }) => [at, votes])).toEqual(
      [2, 1, 0].map((days) => [new Date(noon(days) - DAY / 2).toISOString(), 0]),
    )
  })

  test('counts votes by day, in the span and in as many days before, on all polls', async () => {
    await fresh()
    const [first, second] = [await service.createPoll(brand), await service.createPoll(brand)]
    await votedAgo(first, [0, 0, 1, 29, 30, 59, 60, 400])
    await votedAgo(second, [2, 30])
    await service.createPoll(await service.createBrand())
    await refresh()
    const { votes, points } = await summary()
    expect(votes).toEqual({ today: 2, total: 10, span: 5, before: 3 })
    expect(points).toHaveLength(30)
    expect(points.map((point) => point.votes)).toEqual([1, ...new Array(26).fill(0), 1, 1, 2])
    expect((await summary('?days=366')).votes).toEqual({ today: 2, total: 10, span: 9, before: 1 })
    expect((await summary('?days=1')).votes).toEqual({ today: 2, total: 10, span: 2, before: 1 })
  })

  test('has the days of a time zone', async () => {
    await fresh()
    const poll = await service.createPoll(brand)
    const midnight = Math.floor(Date.now() / DAY) * DAY - DAY
    const times = [midnight - 5 * 900_000, midnight - 1, midnight, midnight + 4 * 900_000]
    const votes = times.map((votedAt) => ({ option: 'B' as const, votedAt }))
    await castInThePast(service, await pollKeyOf(service, poll), votes)
    await refresh()
    const split = async (tz: string) => {
      const { points } = await summary(`?days=366&tz=${tz}`)
      return points.filter((point) => point.votes > 0).map((point) => point.votes)
    }
    expect(await split('UTC')).toEqual([2, 2])
    // Local midnight is an hour before that of UTC, at a quarter to the hour, and 3 hours after.
    expect(await split('Etc/GMT-1')).toEqual([1, 3])
    expect(await split('Asia/Kathmandu')).toEqual([4])
    expect(await split('Etc/GMT%2B3')).toEqual([4])
  })

  test('counts each vote once among other votes and runs', async () => {
    await fresh()
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    for (const [i, votes] of [1, 0, 2_000, 4_001, 17].entries()) {
      for (const poll of polls) await vote(poll, votes + i)
      await refresh()
      await refresh()
    }
    const total = 2 * (1 + 0 + 2_000 + 4_001 + 17 + 10)
    expect((await summary()).votes).toMatchObject({ today: total, total, span: total })
  })

  test('follows a deletion until the last vote is removed', async () => {
    await fresh()
    const [kept, deleted] = [await service.createPoll(brand), await service.createPoll(brand)]
    await vote(kept, 3)
    await vote(deleted, 5_000)
    await refresh()
    expect((await summary()).votes.total).toBe(5_003)
    await vote(deleted, 2)
    await deletePoll(service, brand, deleted.slug)
    await refresh()
    await refresh()
    expect((await summary()).votes).toMatchObject({ total: 3, today: 3 })
  })

  test('is at most a minute old', async () => {
    await fresh()
    const poll = await service.createPoll(brand)
    service.clock.freeze()
    await vote(poll, 1)
    expect((await summary()).votes).toMatchObject({ today: 1, total: 1 })
    await vote(poll, 2)
    service.clock.advance(50_000)
    expect((await summary()).votes).toMatchObject({ today: 1, total: 1 })
    service.clock.advance(10_000)
    expect((await summary()).votes).toMatchObject({ today: 3, total: 3 })
    service.clock.thaw()
  })

  test.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe'])(
    'is what a recount of the votes finds, by the days of %s',
    async (tz) => {
      await fresh()
      const now = service.clock.now()
      const polls = [1, 2, 3, 4].map(() => service.createPoll(brand))
      for (const poll of await Promise.all(polls)) {
        const votes = Array.from({ length: 60 }, () => ({
          option: 'A' as const,
          // Many near the half hours, where a day may begin.
          votedAt:
            Math.floor((now - Math.random() * 450 * DAY) / 1_800_000) * 1_800_000 + Math.floor(Math.random() * 3) - 1,
        }))
        await castInThePast(service, await pollKeyOf(service, poll), votes)
      }
      const keys = service.db.selectFrom('polls').select('key').where('brand_key', '=', brand.brandKey)
      const votes = await service.db.selectFrom('votes').select('voted_at').where('poll_key', 'in', keys).execute()
      const dayOf = (at: number) =>
        Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(tz).toPlainDate().toString()
      const expected = Map.groupBy(votes, ({ voted_at }) => dayOf(voted_at))
      const { points, votes: numbers } = await summary(`?days=366&tz=${tz}`)
      const found = points
        .filter((point) => point.votes !== 0)
        .map(({ at, votes: count }) => [dayOf(Date.parse(at)), count])
      const [firstDay = ''] = points.map(({ at }) => dayOf(Date.parse(at)))
      expect(found).toEqual(
        [...expected]
          .filter(([day]) => day >= firstDay)
          .map(([day, own]) => [day, own.length])
          .toSorted(),
      )
      expect(numbers).toMatchObject({
        total: 240,
        before: [...expected].filter(([day]) => day < firstDay).flatMap(([, own]) => own).length,
      })
    },
  )

  test('counts each poll once, by its status, and moves with the clock', async () => {
    await fresh()
    const soon = { opensAt: new Date(service.clock.now() + HOUR).toISOString() }
    await service.createPoll(brand)
    await service.createPoll(brand, { isPrivate: true })
    await service.createPoll(brand, soon)
    await service.createPoll(brand, { isDraft: true, ...soon })
    await service.createPoll(brand, { opensAt: fromNow(-2 * HOUR), closesAt: fromNow(-HOUR) })
    const archived = await service.createPoll(brand, { isDraft: true })
    await patchPoll(service, brand, archived.slug, { archived: true })
    await deletePoll(service, brand, (await service.createPoll(brand)).slug)
    expect((await summary()).polls).toEqual({ open: 2, scheduled: 1, closed: 1, draft: 1, archived: 1 })
    service.clock.advance(HOUR)
    brand = { ...brand, token: (await service.exchange(brand)).accessToken }
    expect((await summary()).polls).toEqual({ open: 3, scheduled: 0, closed: 1, draft: 1, archived: 1 })
    // Cached counts are not shown after a change.
    await patchPoll(service, brand, archived.slug, { archived: false })
    expect((await summary()).polls).toEqual({ open: 3, scheduled: 0, closed: 1, draft: 2, archived: 0 })
  })

  test('names the five polls with the most votes, hidden ones included, as the list by popularity does', async () => {
    await fresh()
    const polls = new Map<string, number>()
    for (const [i, votes] of [3, 0, 9, 1, 7, 2, 5].entries()) {
      const poll = await service.createPoll(brand, {
        title: `Poll ${i}`,
        resultsVisibility: i === 2 ? 'never' : 'always',
      })
      if (votes > 0) await vote(poll, votes)
      polls.set(poll.id, votes)
    }
    await refresh()
    const { top } = await summary()
    expect(top.map(({ votes }) => votes)).toEqual([9, 7, 5, 3, 2])
    expect(top.map(({ poll }) => [poll.tallies.total, polls.get(poll.id)])).toEqual([9, 7, 5, 3, 2].map((n) => [n, n]))
    const listed = await everyPage(service, 'brands/me/polls?order=popular', { ask: { token: brand.token }, limit: 2 })
    expect(listed.map(({ id }) => polls.get(id))).toEqual([9, 7, 5, 3, 2, 1, 0])
  })

  test('counts webhooks that are active and those that fail', async () => {
    await fresh()
    const hooks = [1, 2, 3].map(() => createWebhook(service, brand, { events: ['poll.updated'] }))
    const [first, second] = await Promise.all(hooks)
    await patchWebhook(service, brand, first?.id ?? '', { status: 'DISABLED' })
    await service.db
      .updateTable('webhooks')
      .set({ failing_since: 1 })
      .where('id', '=', second?.id ?? '')
      .execute()
    expect((await summary()).webhooks).toEqual({ active: 2, failing: 1 })
  })

  test.each([
    ['?days=0', 'days too_small'],
    ['?days=367', 'days too_big'],
    ['?days=1.5', 'days invalid_type'],
    ['?days=week', 'days invalid_type'],
    ['?tz=Moon', 'tz unknown_time_zone'],
    ['?day=7', 'day unknown_parameter'],
  ])('%s is 422', async (query, problem) => {
    const reply = await ask(query)
    expect([reply.status, problemsOf(reply)]).toEqual([422, [problem]])
  })

  test('needs the scope analytics', async () => {
    const app = await service.createApp(brand.brandKey, ['view', 'vote', 'manage'])
    const { accessToken: token } = await service.exchange(app)
    expect((await service.get('brands/me/summary', { token })).status).toBe(403)
  })
})
