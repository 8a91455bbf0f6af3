import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { differenceInterval, shareInterval } from '../../embed/src/insight/intervals.ts'
import type { Crosstab } from '../src/features/analytics/crosstab.ts'
import { pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { patchPoll, problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: the crosstab of a campaign', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { VOTES_PER_MINUTE: '1000', NETWORK_VOTES_PER_MINUTE: '0' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function fresh(count: number) {
    const polls: PollData[] = []
    for (let i = 0; i < count; i++) polls.push(await service.createPoll(brand))
    return { polls, ...(await createCampaign(service, brand, polls)) }
  }

  const ask = (campaignId: string, rows: string | undefined, columns: string | undefined, token = brand.token) =>
    service.get<Crosstab>(`brands/me/campaigns/${campaignId}/crosstab?rows=${rows}&columns=${columns}`, { token })

  /** By SQL: the devices that answered both, by their options. */
  async function recount(rows: PollData, columns: PollData): Promise<number[][]> {
    const [row, column] = [await pollKeyOf(service, rows), await pollKeyOf(service, columns)]
    const { rows: found } = await sql<{ pair: string; n: number }>`
      select own.option || other.option as pair, count(*) as n from votes as own join votes as other on other.device = own.device
      where own.poll_key = ${row} and other.poll_key = ${column} and not exists (select 1 from forgotten_devices
        where forgotten_devices.device = own.device and (forgotten_at >= own.voted_at or forgotten_at >= other.voted_at))
      group by 1`.execute(service.db)
    const of = (pair: string) => found.find((one) => one.pair === pair)?.n ?? 0
    return [
      [of('AA'), of('AB')],
      [of('BA'), of('BB')],
    ]
  }

  test('is what a recount of the votes by SQL finds, from either side, without forgotten devices', async () => {
    const { polls, campaignId } = await fresh(3)
    const [first, second, third] = polls as [PollData, PollData, PollData]
    const devices = Array.from({ length: 150 }, () => randomUUID())
    const onFirst = devices.map((device, i) => ({ device, i, option: i % 3 === 0 ? 'A' : 'B' }) as const)
    const onSecond = devices.map((device, i) => ({ device, i, option: i % 7 < 3 ? 'A' : 'B' }) as const)
    for (const { device, option } of onFirst.filter(({ i }) => i % 4 !== 0))
      await service.vote(first.slug, option, device)
    for (const { device, option } of onSecond.filter(({ i }) => i % 5 !== 0))
      await service.vote(second.slug, option, device)
    for (const { device } of onFirst.filter(({ i }) => i % 9 === 1))
      await service.request('DELETE', 'guests/me', { device })
    const cells = await recount(first, second)
    const [[aa = 0, ab = 0] = [], [ba = 0, bb = 0] = []] = cells
    const [inA, inB] = [
      { optionA: aa, optionB: ab },
      { optionA: ba, optionB: bb },
    ]
    expect(Math.min(aa, ab, ba, bb)).toBeGreaterThan(5)
    const { status, body } = await ask(campaignId, first.slug, second.slug)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      respondents: aa + ab + ba + bb,
      cells,
      rows: [shareInterval(inA), shareInterval(inB)],
      ...(differenceInterval(inA, inB) as object),
      countedAt: expect.any(String),
    } as Crosstab)
    const turned = await ask(campaignId, second.slug, first.slug)
    expect(turned.body.data.cells).toEqual([
      [aa, ba],
      [ab, bb],
    ])
    expect(turned.body.data.cells).toEqual(await recount(second, first))
    const empty = await ask(campaignId, first.slug, third.slug)
    expect(empty.body.data).toMatchObject({
      respondents: 0,
      rows: [null, null],
      difference: null,
      low: null,
      high: null,
    })
  })

  test('takes any identifier of two different steps, and no other poll', async () => {
    const { polls, campaignId } = await fresh(2)
    const [first, second] = polls as [PollData, PollData]
    const outside = await service.createPoll(brand)
    const stranger = await service.createBrand()
    const foreign = await service.createPoll(stranger)
    expect((await ask(campaignId, first.id, second['shortId'] as string)).status).toBe(200)
    for (const [rows, columns] of [
      [first.slug, first.slug],
      [first.slug, first.id],
      ['nowhere', 'nowhere'],
    ])
      expect(problemsOf(await ask(campaignId, rows, columns))).toEqual(['columns same_poll'])
    for (const other of [outside.slug, foreign.slug, 'nowhere']) {
      expect((await ask(campaignId, first.slug, other)).status).toBe(404)
      expect((await ask(campaignId, other, first.slug)).status).toBe(404)
    }
    expect((await ask(campaignId, first.slug, second.slug, stranger.token)).status).toBe(404)
    const missing = await service.get(`brands/me/campaigns/${campaignId}/crosstab?rows=${first.slug}`, {
      token: brand.token,
    })
    expect(problemsOf(missing)).toEqual(['columns required'])
    await patchPoll(service, brand, second.slug, { archived: true })
    expect((await ask(campaignId, first.slug, second.slug)).status).toBe(404)
  })

  test('takes any two of a hundred steps, and is at most a minute old', async () => {
    const { polls, campaignId } = await fresh(100)
    const [first, last] = [polls[0], polls[99]] as [PollData, PollData]
    const vote = async (device = randomUUID()) => {
      for (const { slug } of [last, first]) expect((await service.vote(slug, 'A', device)).status).toBe(201)
    }
    await vote()
    const { countedAt } = (await ask(campaignId, first.slug, last.slug)).body.data
    await vote()
    expect((await ask(campaignId, first.slug, last.slug)).body.data).toMatchObject({ respondents: 1, countedAt })
    service.clock.advance(60_000)
    expect((await ask(campaignId, first.slug, last.slug)).body.data.respondents).toBe(2)
  })
})
