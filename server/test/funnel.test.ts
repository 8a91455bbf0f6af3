import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { transaction } from '../src/db/transaction.ts'
import { countVotes, type Funnel } from '../src/features/analytics/funnel.ts'
import { purgeGuests } from '../src/features/campaigns/respondents/purge-guests.ts'
import { removeDeletedVotes } from '../src/features/campaigns/respondents/remove-deleted-votes.ts'
import { forgetGuest } from '../src/features/campaigns/respondents/routes.ts'
import { walkVotes } from '../src/features/campaigns/respondents/walk-votes.ts'
import { deviceOfUuid } from '../src/features/people/tokens/device.ts'
import { pollKeyOf } from './ballot-box.ts'
import { createCampaign, deleteCampaign, patchCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { holdPolls } from './hold-polls.ts'
import { deletePoll, patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { untilDone } from './until-done.ts'

describe.each([...engines])('%s: the funnel of a campaign', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function fresh(count = 3) {
    const polls: PollData[] = []
    for (let i = 0; i < count; i++) polls.push(await service.createPoll(brand, { title: `Step ${i + 1}?` }))
    const { campaignId } = await createCampaign(service, brand, polls)
    return { polls, campaignId }
  }

  const ask = (campaignId: string, token = brand.token) =>
    service.get<Funnel>(`brands/me/campaigns/${campaignId}/funnel`, { token })

  /** Numbers are kept for a minute. */
  async function runJobs(): Promise<void> {
    service.clock.advance(60_000)
    await service.runDue()
    brand = { ...brand, token: (await service.exchange(brand)).accessToken }
  }

  const campaignKeyOf = async (id: string) =>
    (await service.db.selectFrom('campaigns').select('key').where('id', '=', id).executeTakeFirstOrThrow()).key

  /** After every job has run. */
  async function funnel(campaignId: string): Promise<Funnel> {
    await runJobs()
    const askedAt = service.clock.now()
    const { status, body, text } = await ask(campaignId)
    if (status !== 200) throw new Error(text)
    expect(Date.parse(body.data.countedAt)).toBeGreaterThanOrEqual(askedAt)
    return body.data
  }

  /** [respondents of each step, respondents, completed] */
  async function numbers(campaignId: string): Promise<[number[], number, number]> {
    const { steps, respondents, completed } = await funnel(campaignId)
    return [steps.map((step) => step.respondents), respondents, completed]
  }

  async function vote(device: string, ...polls: readonly (PollData | undefined)[]): Promise<void> {
    for (const poll of polls) {
      const { status, text } = await service.vote(poll?.slug ?? '', 'A', device)
      if (status !== 201) throw new Error(text)
    }
  }

  /** Votes that come after it are not forgotten: a vote of the same millisecond would be. */
  async function forget(device: string): Promise<void> {
    const { engine: database } = service.deps
    const { status, text } = await service.request('DELETE', 'guests/me', { device })
    if (status !== 204) throw new Error(text)
    const forgottenBy = await database.votingTime(service.db)
    await eventually(async () => (await database.votingTime(service.db)) > forgottenBy, { everyMs: 1 })
  }

  const newDevices = (count: number) => Array.from({ length: count }, () => randomUUID())

  test('counts who voted on each step, on any and on all, in the order of the campaign', async () => {
    const { polls, campaignId } = await fresh()
    const [a, b, c] = polls
    expect(await funnel(campaignId)).toEqual({
      steps: polls.map(({ slug, title }) => ({
        slug,
        title,
        respondents: 0,
        inCampaign: 0,
        elsewhere: 0,
        result: {
          optionA: 0,
          optionB: 0,
          votes: 0,
          shareA: null,
          low: null,
          high: null,
          verdict: 'no_votes',
          leader: null,
        },
      })),
      respondents: 0,
      completed: 0,
      inCampaign: { respondents: 0, completed: 0 },
      countedAt: expect.any(String),
    })
    const [ann = '', bob = '', cem = '', dee = ''] = newDevices(4)
    await vote(ann, a, b, c)
    await vote(bob, a, b)
    await vote(cem, c)
    expect(await numbers(campaignId)).toEqual([[2, 2, 2], 3, 1])
    // The last missing vote can be on any step, and all can come between two runs.
    await vote(cem, b, a)
    await vote(bob, c)
    await vote(dee, c, b, a)
    expect(await numbers(campaignId)).toEqual([[4, 4, 4], 4, 4])
    await patchCampaign(service, brand, campaignId, { polstIds: [c?.id, a?.id, b?.id] })
    expect((await funnel(campaignId)).steps.map(({ slug }) => slug)).toEqual([c, a, b].map((poll) => poll?.slug ?? ''))
  })

  test('is the same however the votes are split between runs, also those from before a poll joined', async () => {
    const { polls, campaignId } = await fresh(4)
    const early = await service.createPoll(brand)
    const all = [...polls, early]
    // Each device votes on the polls whose bits are set in a number.
    const digitsOf = (i: number) => (i * 7 + 3) % 32
    const has = (i: number, place: number) => (digitsOf(i) >> place) % 2 === 1
    const devices = newDevices(60)
    for (const [i, device] of devices.entries()) {
      const chosen = all.filter((_poll, place) => has(i, place))
      await vote(device, ...(i % 2 === 0 ? chosen : chosen.toReversed()))
      if (i % 9 === 0) await runJobs()
      if (i === 30) await patchCampaign(service, brand, campaignId, { polstIds: all.map(({ id }) => id) })
    }
    const steps = all.map((_poll, place) => devices.filter((_device, i) => has(i, place)).length)
    const respondents = devices.filter((_device, i) => digitsOf(i) > 0).length
    const completed = devices.filter((_device, i) => digitsOf(i) === 31).length
    expect(completed).toBeGreaterThan(0)
    expect(await numbers(campaignId)).toEqual([steps, respondents, completed])
  })

  test('leaves out drafts, archived and deleted polls, and counts them again when they are back', async () => {
    const { polls, campaignId } = await fresh()
    const [a, b, c] = polls
    const [ann = '', bob = ''] = newDevices(2)
    await vote(ann, a, b)
    await vote(bob, a, b, c)
    expect(await numbers(campaignId)).toEqual([[2, 2, 1], 2, 1])
    await patchPoll(service, brand, c?.slug ?? '', { archived: true })
    expect(await numbers(campaignId)).toEqual([[2, 2], 2, 2])
    await patchPoll(service, brand, c?.slug ?? '', { archived: false })
    expect(await numbers(campaignId)).toEqual([[2, 2, 1], 2, 1])
    await deletePoll(service, brand, b?.slug ?? '')
    expect((await ask(campaignId)).body.data.steps.map(({ slug }) => slug)).toEqual(
      [a, c].map((poll) => poll?.slug ?? ''),
    )
    expect(await numbers(campaignId)).toEqual([[2, 1], 2, 1])
    const draft = await service.createPoll(brand, { isDraft: true })
    await patchCampaign(service, brand, campaignId, { polstIds: [a?.id, c?.id, draft.id] })
    expect(await numbers(campaignId)).toEqual([[2, 1], 2, 1])
    await patchPoll(service, brand, draft.slug, { isDraft: false })
    expect(await numbers(campaignId)).toEqual([[2, 1, 0], 2, 0])
  })

  test.each([
    ['a change of the campaign', 'without'],
    ['a change of the campaign', 'with'],
    ['its deletion', 'without'],
    ['its deletion', 'with'],
  ])('counts again when a step leaves by %s, %s votes, and then forgets a device once', async (way, votes) => {
    const { polls, campaignId } = await fresh()
    const [a, b, c] = polls as [PollData, PollData, PollData]
    const [ann = '', bob = ''] = newDevices(2)
    await vote(ann, a, b)
    if (votes === 'with') await vote(bob, c)
    expect((await funnel(campaignId)).completed).toBe(0)
    if (way === 'its deletion') await deletePoll(service, brand, c.slug)
    else await patchCampaign(service, brand, campaignId, { polstIds: [a.id, b.id] })
    for (let runs = 0; runs < 2; runs++) {
      await untilDone(() => removeDeletedVotes(service.deps.engine))
      await untilDone(() => walkVotes(service.deps.engine))
    }
    expect(await numbers(campaignId)).toEqual([[1, 1], 1, 1])
    await forget(ann)
    expect(await numbers(campaignId)).toEqual([[0, 0], 0, 0])
  })

  test('is at most a minute old, is counted once for all who ask meanwhile, and shows new steps at once', async () => {
    const { polls, campaignId } = await fresh(2)
    const [a, b] = polls as [PollData, PollData]
    const [ann = '', bob = '', cem = ''] = newDevices(3)
    await vote(ann, a, b)
    expect(await numbers(campaignId)).toEqual([[1, 1], 1, 1])
    const { countedAt } = (await ask(campaignId)).body.data
    await vote(bob, a, b)
    service.clock.advance(50_000)
    expect((await ask(campaignId)).body.data).toMatchObject({ respondents: 1, completed: 1, countedAt })
    service.clock.advance(10_000)
    const answers = await Promise.all([1, 2, 3].map(() => ask(campaignId)))
    const later = answers[0]?.body.data.countedAt ?? ''
    expect(Date.parse(later) - Date.parse(countedAt)).toBeGreaterThanOrEqual(60_000)
    for (const { body } of answers) expect(body.data).toMatchObject({ respondents: 2, completed: 2, countedAt: later })
    await vote(cem, a)
    expect((await ask(campaignId)).body.data).toEqual(answers[0]?.body.data as Funnel)
    await patchCampaign(service, brand, campaignId, { polstIds: [b.id, a.id] })
    expect((await ask(campaignId)).body.data.steps.map(({ respondents }) => respondents)).toEqual([2, 3])
  })

  test('is what a recount of the votes by SQL finds, however few devices are in memory', async () => {
    const { polls, campaignId } = await fresh(4)
    const devices = newDevices(200)
    for (const device of devices) {
      await vote(device, ...polls.filter(() => Math.random() < 0.8))
      if (Math.random() < 0.05) await forget(device)
    }
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
    const remembered = sql`from votes where poll_key in (${sql.join(keys)}) and not exists (select 1 from forgotten_devices
      where forgotten_devices.device = votes.device and forgotten_at >= voted_at)`
    const one = async (query: ReturnType<typeof sql>) =>
      (await (query as ReturnType<typeof sql<{ n: number }>>).execute(service.db)).rows.map(({ n }) => n)
    const [respondents] = await one(sql`select count(distinct device) as n ${remembered}`)
    const [completed] = await one(
      sql`select count(*) as n from (select device ${remembered} group by device having count(*) = 4) as found`,
    )
    const steps = await one(sql`select count(*) as n ${remembered} group by poll_key order by poll_key`)
    expect(completed).toBeGreaterThan(0)
    expect(await numbers(campaignId)).toEqual([steps, respondents ?? 0, completed ?? 0])
    for (const most of [1, 7, 1_000]) {
      const campaign = {
        campaignKey: await campaignKeyOf(campaignId),
        steps: keys.map((poll_key) => ({ poll_key, opens_at: null, closes_at: null })),
      }
      const counted = await countVotes(service.db, campaign, { now: Date.now(), mostDevices: most })
      const votes = keys.map(
        (key) => (counted.byPoll.get(key)?.inCampaign ?? 0) + (counted.byPoll.get(key)?.elsewhere ?? 0),
      )
      expect([votes, counted.completed]).toEqual([steps, completed ?? 0])
    }
  })

  test('counts votes within the campaign apart from those elsewhere, as a recount by SQL does', async () => {
    const { polls, campaignId } = await fresh(3)
    const other = await createCampaign(service, brand, polls)
    const devices = newDevices(120)
    const places = [{ campaign: campaignId }, {}, { campaign: campaignId }, { campaign: other.campaignId }]
    const votes = devices.flatMap((device, i) =>
      polls
        .map(({ slug }, step) => ({ slug, device, step, place: places[(i + step * (i % 3)) % 4] }))
        .filter(({ step }) => (i * 7 + step * 3) % 5 !== 0)
        .map((vote) => ({ ...vote, option: i % 10 < 9 ? 'A' : 'B' })),
    )
    for (const { slug, device, place, option } of votes)
      expect((await service.post(`polls/${slug}/votes`, { device, json: { option, ...place } })).status).toBe(201)
    for (const device of devices.slice(0, 5)) await forget(device)
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
    const remembered = sql`from votes where poll_key in (${sql.join(keys)}) and not exists (select 1 from forgotten_devices
      where forgotten_devices.device = votes.device and forgotten_at >= voted_at)`
    const within = sql`${remembered} and campaign_key = ${await campaignKeyOf(campaignId)}`
    const one = async (query: ReturnType<typeof sql>) =>
      (await (query as ReturnType<typeof sql<{ n: number }>>).execute(service.db)).rows.map(({ n }) => n)
    const inCampaign = await one(sql`select count(*) as n ${within} group by poll_key order by poll_key`)
    const all = await one(sql`select count(*) as n ${remembered} group by poll_key order by poll_key`)
    const [respondents = 0] = await one(sql`select count(distinct device) as n ${within}`)
    const [completed = 0] = await one(
      sql`select count(*) as n from (select device ${within} group by device having count(*) = 3) as found`,
    )
    const { steps, ...numbers } = await funnel(campaignId)
    expect(numbers.inCampaign).toEqual({ respondents, completed })
    expect(completed).toBeGreaterThan(0)
    expect(respondents).toBeLessThan(numbers.respondents)
    expect(steps.map((step) => step.inCampaign)).toEqual(inCampaign)
    expect(steps.map((step) => step.elsewhere)).toEqual(all.map((votes, i) => votes - (inCampaign[i] ?? 0)))
    // The result has the votes of forgotten devices, too.
    for (const [i, { result }] of steps.entries()) {
      const [optionA = 0, optionB = 0] = await one(
        sql`select count(*) as n from votes where poll_key = ${keys[i]} group by option order by option`,
      )
      expect(result).toMatchObject({ optionA, optionB, votes: optionA + optionB, verdict: 'leading', leader: 'A' })
      expect(result.shareA).toBe(optionA / (optionA + optionB))
    }
  })

  test('takes a device as complete exactly when its progress does, where polls have closed or open later', async () => {
    const { polls, campaignId } = await fresh(5)
    const [open, closed, closing, last, later] = polls.map(({ slug }) => slug) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const close = async (slug: string, closesAt?: string) => {
      // Real time: a vote of the same millisecond would come before the end.
      await Bun.sleep(2)
      await patchPoll(service, brand, slug, { closesAt: closesAt ?? new Date().toISOString() })
    }
    await close(closed, '2020-01-01T00:00:00Z')
    await patchPoll(service, brand, later, { opensAt: '2099-01-01T00:00:00Z' })
    const devices: string[] = []
    const cast = async (...chosen: string[][]) => {
      for (const slugs of chosen) {
        const device = randomUUID()
        devices.push(device)
        for (const slug of slugs) expect((await service.vote(slug, 'A', device)).status).toBe(201)
      }
    }
    await cast([open, closing, last], [open], [closing, open], [last])
    await close(closing)
    await cast([open, last], [open], [last])
    const completed = async () => {
      const own = devices.map((device) =>
        service.get<{ completed: boolean }>(`campaigns/${campaignId}/progress`, { device }),
      )
      return (await Promise.all(own)).filter(({ body }) => body.data.completed).length
    }
    expect([await completed(), (await numbers(campaignId))[2]]).toEqual([2, 2])
    await close(last)
    await cast([open])
    expect([await completed(), (await numbers(campaignId))[2]]).toEqual([3, 3])
    await close(open)
    expect([await completed(), (await numbers(campaignId))[2]]).toEqual([3, 3])
  })

  test('lets a device be forgotten while somebody holds the lock of a step', async () => {
    const { polls, campaignId } = await fresh(1)
    const [device = ''] = newDevices(1)
    await vote(device, polls[0])
    expect(await numbers(campaignId)).toEqual([[1], 1, 1])
    if (engine === 'postgres') {
      const { deps } = service
      await transaction(deps.engine, async (tx) => {
        await holdPolls(tx, [await pollKeyOf(service, polls[0] as PollData)])
        await forgetGuest(deps.engine, deviceOfUuid(deps.keys.device, device))
      })
    } else await forget(device)
    expect(await numbers(campaignId)).toEqual([[0], 0, 0])
  })

  test('does not know forgotten devices, nor guests that a purge forgot', async () => {
    const { polls, campaignId } = await fresh(2)
    const [a, b] = polls
    const [ann = '', bob = '', cem = ''] = newDevices(3)
    await vote(ann, a, b)
    await vote(bob, a, b)
    await vote(cem, a)
    expect(await numbers(campaignId)).toEqual([[3, 2], 3, 2])
    await forget(ann)
    expect(await numbers(campaignId)).toEqual([[2, 1], 2, 1])
    // Forgotten, then back on the other poll alone.
    await forget(cem)
    await vote(cem, b)
    expect(await numbers(campaignId)).toEqual([[1, 2], 2, 1])
    await purgeGuests(service.deps.engine, (await service.deps.engine.votingTime(service.db)) + 1)
    expect(await numbers(campaignId)).toEqual([[0, 0], 0, 0])
  })

  test('of another brand, of a deleted campaign and of an unknown one is the same 404, and junk is 422', async () => {
    const { campaignId } = await fresh(1)
    const other = await service.createBrand()
    const foreign = await ask(campaignId, other.token)
    expect([foreign.status, foreign.body.error?.code]).toEqual([404, 'NOT_FOUND'])
    expect((await ask(randomUUID())).status).toBe(404)
    expect(problemsOf(await ask('x'))).toEqual(['campaignId invalid_format'])
    expect((await ask(campaignId.toUpperCase())).status).toBe(200)
    await deleteCampaign(service, brand, campaignId)
    expect((await ask(campaignId)).status).toBe(404)
  })
})
