import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { problemsOf } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: where votes come from', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { VOTES_PER_MINUTE: '1000', NETWORK_VOTES_PER_MINUTE: '0' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const vote = (poll: PollData, json: object) =>
    service.post(`polls/${poll.slug}/votes`, {
      headers: { 'x-device-id': randomUUID() },
      json: { option: 'A', ...json },
    })
  async function declare(name: string): Promise<number> {
    const row = { brand_key: brand.brandKey, name, created_at: Date.now() }
    return (await service.db.insertInto('source_names').values(row).returning('key').executeTakeFirstOrThrow()).key
  }
  const stored = async (poll: PollData) =>
    service.db
      .selectFrom('votes')
      .select(['source_key', 'shown', 'campaign_key'])
      .where('poll_key', '=', await pollKeyOf(service, poll))
      .orderBy('position')
      .execute()
  const counted = async (poll: PollData) =>
    service.db
      .selectFrom('attributed_counts')
      .select(['source_key', 'shown', 'campaign_key', 'option_a', 'option_b'])
      .where('poll_key', '=', await pollKeyOf(service, poll))
      .orderBy('option_a')
      .orderBy('source_key')
      .execute()

  test('a declared source, the order of a random poll and a campaign are stored with the vote and counted', async () => {
    const poll = await service.createPoll(brand, { optionOrder: 'random' })
    const source = await declare('newsletter')
    const campaign = await createCampaign(service, brand, [poll])
    const { key } = await service.db
      .selectFrom('campaigns')
      .select('key')
      .where('id', '=', campaign.campaignId)
      .executeTakeFirstOrThrow()
    const whole = { source: 'newsletter', shown: 'BA', campaign: campaign.campaignId.toUpperCase() }
    for (const given of [whole, whole, { ...whole, option: 'B' }, { shown: 'AB' }, {}])
      expect((await vote(poll, given)).status).toBe(201)
    const all = { source_key: source, shown: 'BA', campaign_key: key }
    expect(await stored(poll)).toEqual([
      all,
      all,
      all,
      { source_key: null, shown: 'AB', campaign_key: null },
      { source_key: null, shown: null, campaign_key: null },
    ])
    expect(await counted(poll)).toEqual([
      { source_key: 0, shown: 'AB', campaign_key: 0, option_a: 1, option_b: 0 },
      { ...all, shown: 'BA', option_a: 2, option_b: 1 },
    ])
  })

  test('what the brand has not declared, a fixed order and a campaign without the poll leave no trace', async () => {
    const poll = await service.createPoll(brand)
    const other = await createCampaign(service, brand, [await service.createPoll(brand)])
    const stranger = await service.createBrand()
    await service.db
      .insertInto('source_names')
      .values({
        brand_key: stranger.brandKey,
        name: 'of-a-stranger',
        created_at: 0,
      })
      .execute()
    for (const given of [
      { source: 'of-a-stranger', shown: 'AB', campaign: other.campaignId },
      { source: 'other', campaign: randomUUID() },
    ])
      expect((await vote(poll, given)).status).toBe(201)
    const nothing = { source_key: null, shown: null, campaign_key: null }
    expect(await stored(poll)).toEqual([nothing, nothing])
    expect(await counted(poll)).toEqual([])
  })

  test.each([
    [{ source: '' }, 'source'],
    [{ source: 'A' }, 'source'],
    [{ source: 'x'.repeat(41) }, 'source'],
    [{ source: null }, 'source'],
    [{ shown: 'ab' }, 'shown'],
    [{ campaign: 'x' }, 'campaign'],
  ])('refuses %j', async (given, path) => {
    const poll = await service.createPoll(brand, { optionOrder: 'random' })
    const answer = await vote(poll, given)
    expect(answer.status).toBe(422)
    expect(problemsOf(answer)).toEqual([expect.stringMatching(new RegExp(`^${path} `))])
    expect(await stored(poll)).toEqual([])
  })
})
