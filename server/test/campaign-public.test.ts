import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type CampaignData, createCampaign, patchCampaign, slugsOf } from './campaigns.ts'
import { engines } from './engines.ts'
import { deletePoll, everyPage, HOUR, patchPoll } from './polls.ts'
import { type PollData, startTestService, type TalliesData, type TestBrand, type TestService } from './service.ts'

interface CampaignTalliesData {
  campaignId: string
  polsts: { slug: string; status: string; tallies: TalliesData }[]
}

const HIDDEN: TalliesData = { optionA: 0, optionB: 0, total: 0, hidden: true }

describe.each([...engines])('%s: campaigns in public', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { ACCESS_TOKEN_SECONDS: '3600' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const makePolls = async (fields: readonly Record<string, unknown>[]): Promise<PollData[]> => {
    const polls: PollData[] = []
    for (const each of fields) polls.push(await service.createPoll(brand, each))
    return polls
  }
  const read = (id: string) => service.get<CampaignData>(`campaigns/${id}`)
  const tallies = (id: string) => service.get<CampaignTalliesData>(`campaigns/${id}/tallies`)
  const progress = (id: string) => service.get(`campaigns/${id}/progress`, { device: randomUUID() })
  const listed = async (slug: string) =>
    (await everyPage<CampaignData>(service, `brands/${slug}/campaigns`, { limit: 2 })).map(
      ({ campaignId }) => campaignId,
    )

  // spec: 3-4, 3-9
  test('only published ones answer, and only public ones are listed', async () => {
    const owner = await service.createBrand()
    const poll = await service.createPoll(owner)
    const make = async (fields: Record<string, unknown>) =>
      (await createCampaign(service, owner, [poll], fields)).campaignId
    const first = await make({})
    const draft = await make({ state: 'draft' })
    const archived = await make({ state: 'archived' })
    const quiet = await make({ isPublic: false })
    const later = await make({ opensAt: '2090-01-01T00:00:00Z' })
    const past = await make({ closesAt: '2020-01-01T00:00:00Z' })
    for (const [id, status] of [
      [first, 200],
      [quiet, 200],
      [later, 200],
      [past, 200],
      [draft, 404],
      [archived, 404],
      [randomUUID(), 404],
    ] as const) {
      const answers = [await read(id), await tallies(id), await progress(id)]
      expect(answers.map((reply) => reply.status)).toEqual([status, status, status])
    }
    expect(await listed(owner.slug)).toEqual([past, later, first])
    await patchCampaign(service, owner, draft, { state: 'published' })
    await patchCampaign(service, owner, first, { state: 'draft' })
    await patchCampaign(service, owner, quiet, { isPublic: true })
    expect(await listed(owner.slug)).toEqual([past, later, quiet, draft])
    expect([(await read(draft)).status, (await read(first)).status]).toEqual([200, 404])
    expect((await service.get(`brands/${owner.slug}-no/campaigns`)).status).toBe(404)
    expect((await service.get('brands/-/campaigns')).status).toBe(422)
    expect(await listed((await service.createBrand()).slug)).toEqual([])
  })

  test('draft, archived and deleted polls are left out, from a list also private and scheduled ones, and the order is kept', async () => {
    const polls = await makePolls([
      {},
      { isDraft: true },
      { isPrivate: true },
      { opensAt: '2090-01-01T00:00:00Z' },
      {},
      { closesAt: '2020-01-01T00:00:00Z' },
    ])
    const slugs = (...places: number[]) => places.map((place) => polls[place]?.slug ?? '')
    const { campaignId } = await createCampaign(service, brand, polls)
    const expectSteps = async (...places: number[]) => {
      const { data } = (await read(campaignId)).body
      expect(slugsOf(data)).toEqual(slugs(...places))
      expect([data.totalSteps, data.polstCount]).toEqual([places.length, places.length])
      expect((await tallies(campaignId)).body.data.polsts.map(({ slug }) => slug)).toEqual(slugs(...places))
      const list = (await service.get<CampaignData[]>(`brands/${brand.slug}/campaigns`)).body.data
      const shown = places.filter((place) => place !== 2 && place !== 3)
      expect(list.find((campaign) => campaign.campaignId === campaignId)).toEqual({
        ...data,
        polsts: data.polsts.filter(({ slug }) => slugs(...shown).includes(slug)),
        totalSteps: shown.length,
        polstCount: shown.length,
      })
      expect((await progress(campaignId)).body.data).toMatchObject({ completedSteps: 0, totalSteps: places.length })
    }
    await expectSteps(0, 2, 3, 4, 5)
    await patchPoll(service, brand, slugs(4)[0] ?? '', { archived: true })
    await expectSteps(0, 2, 3, 5)
    await patchPoll(service, brand, slugs(1)[0] ?? '', { isDraft: false })
    await patchPoll(service, brand, slugs(0)[0] ?? '', { isDraft: true })
    await expectSteps(1, 2, 3, 5)
    const list = (await service.get(`brands/${brand.slug}/campaigns`)).text
    for (const at of [0, 2, 3, 4]) expect(list).not.toContain(slugs(at)[0] ?? '')
    await deletePoll(service, brand, slugs(2)[0] ?? '')
    await expectSteps(1, 3, 5)
    await patchPoll(service, brand, slugs(4)[0] ?? '', { archived: false })
    await expectSteps(1, 3, 4, 5)
    for (const at of [1, 3, 4, 5]) await deletePoll(service, brand, slugs(at)[0] ?? '')
    await expectSteps()
  })

  test('the list has one ETag for one content, and another after each change that it shows', async () => {
    const owner = await service.createBrand()
    const polls = [await service.createPoll(owner), await service.createPoll(owner)]
    const oldest = await createCampaign(service, owner, polls)
    const middle = await createCampaign(service, owner, polls.slice(0, 1))
    const path = `brands/${owner.slug}/campaigns`
    const pages = [path, `${path}?limit=1`, `${path}?limit=2`]
    const seen: string[][] = []
    const expectNew = async (change: () => Promise<unknown>, places: readonly number[]) => {
      const before = seen.at(-1) ?? ['', '', '']
      await change()
      const after: string[] = []
      for (const page of pages) {
        const { headers, text } = await service.get(page)
        const etag = headers.get('etag') ?? ''
        const again = await service.get(page, { headers: { 'If-None-Match': etag } })
        expect([again.status, again.text]).toEqual([304, ''])
        expect((await service.get(page)).text).toBe(text)
        after.push(etag)
      }
      expect(after.map((etag, i) => (etag === before[i] ? -1 : i)).filter((i) => i >= 0)).toEqual([...places])
      seen.push(after)
    }
    const [first, second] = polls.map(({ slug }) => slug) as [string, string]
    await expectNew(async () => undefined, [0, 1, 2])
    await expectNew(async () => undefined, [])
    await expectNew(() => service.vote(first, 'A'), [0, 1, 2])
    await expectNew(() => service.vote(second, 'A'), [0, 2])
    await expectNew(() => patchPoll(service, owner, second, { isPrivate: true }), [0, 2])
    await expectNew(() => patchCampaign(service, owner, middle.campaignId, { title: 'Another' }), [0, 1, 2])
    await expectNew(() => service.write('PATCH', 'brands/me', { token: owner.token, json: { name: 'New' } }), [0, 1, 2])
    await expectNew(
      () => service.write('DELETE', `brands/me/campaigns/${oldest.campaignId}`, { token: owner.token }),
      [0, 1, 2],
    )
  })

  test('counts follow each vote, and with hidden results no byte of an answer changes', async () => {
    const polls = await makePolls([
      {},
      { resultsVisibility: 'after_vote' },
      { resultsVisibility: 'never' },
      { resultsVisibility: 'after_close', closesAt: '2090-01-01T00:00:00Z' },
    ])
    const [open, ...hidden] = polls
    const { campaignId } = await createCampaign(service, brand, hidden)
    const mixed = await createCampaign(service, brand, polls)
    const surfaces = async () =>
      Promise.all([read(campaignId), tallies(campaignId)].map(async (reply) => (await reply).text))
    const before = await surfaces()
    const etag = (await tallies(campaignId)).headers.get('etag') ?? ''
    // Real time: votes get the database's time.
    await Bun.sleep(2)
    for (const { slug } of polls) await service.vote(slug, 'A')
    expect(await surfaces()).toEqual(before)
    const headers = { 'If-None-Match': etag }
    expect((await service.get(`campaigns/${campaignId}/tallies`, { headers })).status).toBe(304)
    const shown: TalliesData[] = [{ optionA: 1, optionB: 0, total: 1 }, HIDDEN, HIDDEN, HIDDEN]
    const data = (await tallies(mixed.campaignId)).body.data
    expect(data).toEqual({
      campaignId: mixed.campaignId,
      polsts: polls.map(({ slug }, i) => ({ slug, status: 'open', tallies: shown[i] ?? HIDDEN })),
    })
    expect((await read(mixed.campaignId)).body.data.polsts.map((poll) => poll.tallies)).toEqual(shown)
    const own = await service.get<CampaignData>(`brands/me/campaigns/${mixed.campaignId}`, { token: brand.token })
    expect(own.body.data.polsts.map((poll) => poll.tallies.total)).toEqual([1, 1, 1, 1])
    expect((await service.vote(open?.slug ?? '', 'B')).status).toBe(201)
    expect((await tallies(mixed.campaignId)).body.data.polsts[0]?.tallies.total).toBe(2)
  })

  // spec: 1-1
  test('a read has an ETag of its content, ignores credentials and follows changes of the campaign', async () => {
    const [poll] = await makePolls([{}])
    const { campaignId } = await createCampaign(service, brand, poll ? [poll] : [])
    for (const path of [
      `campaigns/${campaignId}`,
      `campaigns/${campaignId}/tallies`,
      `brands/${brand.slug}/campaigns`,
    ]) {
      const first = await service.get(path)
      const etag = first.headers.get('etag') ?? ''
      expect(first.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=2')
      expect((await service.get(path, { token: brand.token })).text).toBe(first.text)
      const same = await service.get(path, { headers: { 'If-None-Match': etag } })
      expect([same.status, same.text]).toEqual([304, ''])
    }
    const before = (await read(campaignId)).headers.get('etag')
    await patchCampaign(service, brand, campaignId, { description: 'New' })
    const after = await read(campaignId)
    expect(after.body.data.description).toBe('New')
    expect(after.headers.get('etag')).not.toBe(before)
  })

  test('the cache lifetime of an answer ends when a poll in it opens or closes', async () => {
    service.clock.freeze()
    const now = service.clock.now()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const [soon, plain] = await makePolls([{ opensAt: at(1_500), closesAt: at(HOUR) }, {}])
    if (!soon || !plain) throw new Error('two polls')
    const byPoll = await createCampaign(service, brand, [plain, soon])
    const byWindow = await createCampaign(service, brand, [plain], { opensAt: at(1_200), closesAt: at(HOUR) })
    const kept = async (path: string) => (await service.get(path)).headers.get('cache-control')?.split('s-maxage=')[1]
    const paths = [
      `campaigns/${byPoll.campaignId}`,
      `campaigns/${byPoll.campaignId}/tallies`,
      `campaigns/${byWindow.campaignId}`,
      `brands/${brand.slug}/campaigns?limit=2`,
    ]
    for (const path of paths) expect([path, await kept(path)]).toEqual([path, '1'])
    service.clock.advance(600)
    for (const path of paths) expect([path, await kept(path)]).toEqual([path, '0'])
    service.clock.advance(1_000)
    for (const path of paths) expect([path, await kept(path)]).toEqual([path, '2'])
    expect((await read(byWindow.campaignId)).body.data.status).toBe('open')
    service.clock.advance(HOUR - 1_600 - 500)
    for (const path of paths) expect([path, await kept(path)]).toEqual([path, '0'])
  })
})
