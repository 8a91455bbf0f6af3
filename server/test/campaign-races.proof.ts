import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type CampaignData, createCampaign, deleteCampaign, patchCampaign, postCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestBrand, type TestService, WIDE_POOL } from './service.ts'

const ROUNDS = 6

describe.each([...engines])('%s: campaigns in a race', (engine) => {
  let service: TestService
  let brand: TestBrand
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService(engine, { settings: WIDE_POOL })
    brand = await service.createBrand()
    poll = await service.createPoll(brand)
  })
  afterAll(() => service.stop())

  const list = async () =>
    (await service.get<CampaignData[]>('brands/me/campaigns?limit=100', { token: brand.token })).body.data

  // spec: 2.5-2
  test('of several requests for one title in different case, exactly one succeeds', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await service.createBrand()
      const { id } = await service.createPoll(owner)
      const titles = ['Straße', 'STRASSE', 'strasse', 'straße', 'StraSSe', 'sTRASSE']
      const replies = await Promise.all(titles.map((title) => postCampaign(service, owner, { title, polstIds: [id] })))
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
      for (const { status, body } of replies) if (status === 409) expect(body.error.code).toBe('CAMPAIGN_NAME_TAKEN')
    }
  })

  test('campaigns renamed to one title, or swapping titles, never share a title and never lose theirs', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const made = await Promise.all([1, 2, 3, 4].map(() => createCampaign(service, brand, [poll])))
      const wanted = `Wanted ${round}`
      const renamed = await Promise.all(
        made.map(({ campaignId }) => patchCampaign(service, brand, campaignId, { title: wanted })),
      )
      expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
      const [one, two] = made
      if (!one || !two) throw new Error('two are made')
      const swapped = await Promise.all([
        patchCampaign(service, brand, one.campaignId, { title: two.title }),
        patchCampaign(service, brand, two.campaignId, { title: one.title }),
      ])
      for (const { status } of swapped) expect([200, 409]).toContain(status)
      const titles = (await list()).map(({ title }) => title)
      expect(new Set(titles).size).toBe(titles.length)
      await Promise.all(made.map(({ campaignId }) => deleteCampaign(service, brand, campaignId)))
    }
    expect(await list()).toEqual([])
  })

  test('a poll never gets into more than 20 campaigns, by creating or by updating them', async () => {
    for (let round = 0; round < 3; round++) {
      const wanted = await service.createPoll(brand)
      const others = await Promise.all([1, 2, 3, 4, 5].map(() => createCampaign(service, brand, [poll])))
      for (let i = 0; i < 17; i++) await createCampaign(service, brand, [wanted])
      const replies = await Promise.all([
        ...others.map(({ campaignId }) =>
          patchCampaign(service, brand, campaignId, { polstIds: [wanted.id, poll.id] }),
        ),
        ...others.map(({ title }) => postCampaign(service, brand, { title: `${title} 2`, polstIds: [wanted.id] })),
      ])
      const fine = replies.filter(({ status }) => status < 300)
      expect(fine).toHaveLength(3)
      for (const { status } of replies) expect([200, 201, 422]).toContain(status)
      const holding = await service.db
        .selectFrom('campaign_polls')
        .innerJoin('polls', 'polls.key', 'campaign_polls.poll_key')
        .select('campaign_count')
        .where('polls.id', '=', wanted.id)
        .execute()
      expect(holding.map(({ campaign_count }) => campaign_count)).toEqual(Array.from({ length: 20 }, () => 20))
      for (const { campaignId } of await list()) await deleteCampaign(service, brand, campaignId)
    }
    const counts = await service.db
      .selectFrom('polls')
      .select('campaign_count')
      .where('brand_key', '=', brand.brandKey)
      .execute()
    expect(new Set(counts.map(({ campaign_count }) => campaign_count))).toEqual(new Set([0]))
  })

  test('concurrent changes of one list leave exactly one of the requested lists', async () => {
    const polls: PollData[] = []
    for (let i = 0; i < 6; i++) polls.push(await service.createPoll(brand))
    const { campaignId } = await createCampaign(service, brand, polls)
    for (let round = 0; round < ROUNDS; round++) {
      const lists = polls.map((_, at) => [...polls.slice(at), ...polls.slice(0, at / 2)].map(({ id }) => id))
      const replies = await Promise.all(
        lists.map((polstIds) => patchCampaign(service, brand, campaignId, { polstIds })),
      )
      for (const [i, { status, body }] of replies.entries()) {
        expect(status).toBe(200)
        expect(body.data.polsts.map(({ id }) => id)).toEqual(lists[i] ?? [])
      }
      const { body } = await service.get<CampaignData>(`campaigns/${campaignId}`)
      expect(lists).toContainEqual(body.data.polsts.map(({ id }) => id))
    }
  })

  test('a poll that is archived while it joins is either in the campaign or refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const joining = await service.createPoll(brand)
      const json = { title: `Archive ${round}`, polstIds: [joining.id] }
      const [created, archived] = await Promise.all([
        postCampaign(service, brand, json),
        patchPoll(service, brand, joining.slug, { archived: true }),
      ])
      expect(archived.status).toBe(200)
      expect([201, 400]).toContain(created.status)
    }
    expect(service.logLines).toEqual([])
  })
})
