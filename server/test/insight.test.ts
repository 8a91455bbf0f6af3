import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { differenceInterval } from '../../embed/src/insight/intervals.ts'
import { insightOf } from '../../embed/src/insight/verdict.ts'
import type { Insight } from '../src/features/analytics/insight.ts'
import { pollKeyOf } from './ballot-box.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: the insight of a poll', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { VOTES_PER_MINUTE: '1000', NETWORK_VOTES_PER_MINUTE: '0' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const ask = (slug: string, token = brand.token) => service.get<Insight>(`brands/me/polls/${slug}/insight`, { token })

  const vote = async (poll: PollData, json: { option: 'A' | 'B'; shown?: 'AB' | 'BA'; source?: string }) =>
    expect((await service.post(`polls/${poll.slug}/votes`, { device: randomUUID(), json })).status).toBe(201)

  /** By SQL, from the votes. */
  async function recount(poll: PollData, condition = sql`1 = 1`) {
    const { rows } = await sql<{ option: string; n: number }>`select option, count(*) as n from votes
      where poll_key = ${await pollKeyOf(service, poll)} and ${condition} group by option`.execute(service.db)
    const of = (name: string) => rows.find(({ option }) => option === name)?.n ?? 0
    return { optionA: of('A'), optionB: of('B') }
  }

  test('says nothing of a poll without votes', async () => {
    const poll = await service.createPoll(brand)
    expect((await ask(poll.slug)).body.data).toEqual({
      votes: 0,
      shareA: null,
      low: null,
      high: null,
      verdict: 'no_votes',
      leader: null,
      order: null,
      sources: [],
      countedAt: expect.any(String),
    })
  })

  test('is what a recount of the votes by SQL finds, also where results are hidden', async () => {
    const poll = await service.createPoll(brand, { optionOrder: 'random', resultsVisibility: 'never' })
    for (let i = 0; i < 90; i++) {
      const shown = ([{ shown: 'AB' }, { shown: 'BA' }, {}] as const)[i % 3]
      await vote(poll, { option: i % 5 === 0 || i % 9 === 1 ? 'B' : 'A', ...shown })
    }
    const all = await recount(poll)
    const [AB, BA] = [await recount(poll, sql`shown = 'AB'`), await recount(poll, sql`shown = 'BA'`)]
    const { status, body } = await ask(poll.slug)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ ...insightOf(all), order: { AB, BA, ...differenceInterval(AB, BA) } })
    expect(body.data).toMatchObject({ votes: 90, verdict: 'leading', leader: 'A' })
    expect([AB.optionA + AB.optionB, BA.optionA + BA.optionB]).toEqual([30, 30])
    expect(body.data.sources).toEqual([{ source: 'other', views: 0, votes: 90, ...all, ...intervalOf(body.data) }])
  })

  const intervalOf = ({ shareA, low, high }: Insight) => ({ shareA, low, high })

  test('counts votes at once, order and sources at most a minute later', async () => {
    const poll = await service.createPoll(brand, { optionOrder: 'random' })
    await vote(poll, { option: 'A', shown: 'AB' })
    const first = (await ask(poll.slug)).body.data
    expect(first.order).toEqual({
      AB: { optionA: 1, optionB: 0 },
      BA: { optionA: 0, optionB: 0 },
      difference: null,
      low: null,
      high: null,
    })
    await vote(poll, { option: 'B', shown: 'BA' })
    const second = (await ask(poll.slug)).body.data
    expect(second).toEqual({ ...first, ...insightOf({ optionA: 1, optionB: 1 }) })
    service.clock.advance(60_000)
    const third = (await ask(poll.slug)).body.data
    expect(third.order).toMatchObject({ BA: { optionA: 0, optionB: 1 }, difference: 1 })
    expect(Date.parse(third.countedAt)).toBeGreaterThanOrEqual(Date.parse(first.countedAt) + 60_000)
  })

  test('is 404 for a foreign, a deleted and an unknown poll', async () => {
    const stranger = await service.createBrand()
    const foreign = await service.createPoll(stranger)
    for (const slug of [foreign.slug, 'nowhere']) expect((await ask(slug)).body.error?.code).toBe('NOT_FOUND')
  })
})
