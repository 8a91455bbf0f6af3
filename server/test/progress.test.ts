import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createCampaign, type ProgressData, patchCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { type Ask, type PollData, startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])("%s: a visitor's progress", (engine) => {
  let service: TestService
  let brand: TestBrand
  let polls: PollData[]
  let campaignId: string
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function fresh(fields: readonly Record<string, unknown>[] = [{}, {}, {}]): Promise<void> {
    polls = []
    for (const each of fields) polls.push(await service.createPoll(brand, each))
    campaignId = (await createCampaign(service, brand, polls)).campaignId
  }
  const slug = (place: number): string => polls[place]?.slug ?? ''
  const progress = async (ask: Ask) => {
    const { status, body, headers } = await service.get<ProgressData>(`campaigns/${campaignId}/progress`, ask)
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([200, 'private, no-store', null])
    const { currentPoll, ...rest } = body.data
    return { ...rest, current: currentPoll?.slug ?? null }
  }

  test('counts completed steps for any order of votes', async () => {
    await fresh()
    const device = randomUUID()
    expect(await progress({ device })).toEqual({ completedSteps: 0, totalSteps: 3, completed: false, current: slug(0) })
    await service.vote(slug(1), 'A', device)
    expect(await progress({ device })).toEqual({ completedSteps: 1, totalSteps: 3, completed: false, current: slug(0) })
    await service.vote(slug(0), 'B', device)
    expect(await progress({ device })).toEqual({ completedSteps: 2, totalSteps: 3, completed: false, current: slug(2) })
    await service.vote(slug(2), 'B', device)
    expect(await progress({ device: device.toUpperCase() })).toEqual({
      completedSteps: 3,
      totalSteps: 3,
      completed: true,
      current: null,
    })
    expect(await progress({ device: randomUUID() })).toMatchObject({ completedSteps: 0, current: slug(0) })
  })

  test('shows the current poll as the feed does, with hidden results hidden', async () => {
    await fresh([{ resultsVisibility: 'after_vote' }])
    await service.vote(slug(0), 'A')
    const { body } = await service.get<ProgressData>(`campaigns/${campaignId}/progress`, { device: randomUUID() })
    const feed = await service.get<PollData[]>(`brands/${brand.slug}/polls?limit=1`)
    expect(body.data.currentPoll).toEqual(feed.body.data[0] ?? null)
    expect(body.data.currentPoll?.tallies).toEqual({ optionA: 0, optionB: 0, total: 0, hidden: true })
  })

  test('is the same for a device by header and by a token of an app with any scopes', async () => {
    await fresh()
    const device = randomUUID()
    await service.vote(slug(0), 'A', device)
    const bare = await service.createApp(null, ['view'])
    const { accessToken } = await service.exchange(bare, device)
    const mine = await progress({ device })
    expect(mine).toMatchObject({ completedSteps: 1 })
    expect(await progress({ token: accessToken })).toEqual(mine)
    expect(await progress({ token: accessToken, device: randomUUID() })).toEqual(mine)
    const own = await service.exchange(bare, 'a name of its own')
    expect(await progress({ token: own.accessToken })).toMatchObject({ completedSteps: 0 })
  })

  test('counts votes from before a poll joined, and none on polls that left', async () => {
    await fresh()
    const device = randomUUID()
    const other = await service.createPoll(brand)
    await service.vote(other.slug, 'A', device)
    await service.vote(slug(0), 'A', device)
    const set = (...ids: string[]) => patchCampaign(service, brand, campaignId, { polstIds: ids })
    const ids = polls.map(({ id }) => id)
    await set(other.id, ...ids)
    expect(await progress({ device })).toMatchObject({ completedSteps: 2, totalSteps: 4, current: slug(1) })
    await set(...ids.slice(1))
    expect(await progress({ device })).toMatchObject({ completedSteps: 0, totalSteps: 2, current: slug(1) })
    await set(other.id)
    expect(await progress({ device })).toMatchObject({ completedSteps: 1, totalSteps: 1, completed: true })
  })

  test('skips archived, deleted and draft polls; a campaign without a step is not completed', async () => {
    await fresh([{}, {}, { isDraft: true }])
    const device = randomUUID()
    await service.vote(slug(0), 'A', device)
    expect(await progress({ device })).toMatchObject({ completedSteps: 1, totalSteps: 2, current: slug(1) })
    await patchPoll(service, brand, slug(1), { archived: true })
    expect(await progress({ device })).toMatchObject({ completedSteps: 1, totalSteps: 1, completed: true })
    await deletePoll(service, brand, slug(0))
    expect(await progress({ device })).toEqual({ completedSteps: 0, totalSteps: 0, completed: false, current: null })
  })

  test('skips a poll that closed before the first vote: nobody has to vote there', async () => {
    await fresh([{ closesAt: '2020-01-01T00:00:00Z' }, {}])
    const device = randomUUID()
    expect(await progress({ device })).toEqual({ completedSteps: 0, totalSteps: 2, completed: false, current: slug(1) })
    await service.vote(slug(1), 'A', device)
    expect(await progress({ device })).toEqual({ completedSteps: 1, totalSteps: 2, completed: true, current: null })
  })

  test('is not completed by a poll that closes after the first vote', async () => {
    await fresh([{}, {}])
    const [device, late] = [randomUUID(), randomUUID()]
    await service.vote(slug(0), 'A', device)
    // Real time: votes get the database's time.
    await Bun.sleep(2)
    await patchPoll(service, brand, slug(1), { closesAt: new Date().toISOString() })
    expect(await progress({ device })).toEqual({ completedSteps: 1, totalSteps: 2, completed: false, current: null })
    // Real time: votes get the database's time.
    await Bun.sleep(2)
    await service.vote(slug(0), 'A', late)
    expect(await progress({ device: late })).toMatchObject({ completedSteps: 1, completed: true, current: null })
  })

  test('does not wait for a poll that opens later, until it opens', async () => {
    await fresh([{}, { opensAt: '2099-01-01T00:00:00Z' }])
    const device = randomUUID()
    await service.vote(slug(0), 'A', device)
    expect(await progress({ device })).toEqual({ completedSteps: 1, totalSteps: 2, completed: true, current: slug(1) })
    await patchPoll(service, brand, slug(1), { opensAt: '2020-01-01T00:00:00Z' })
    expect(await progress({ device })).toMatchObject({ completed: false, current: slug(1) })
  })

  test('of a campaign whose polls are all closed is completed by nobody who has not voted', async () => {
    await fresh([{ closesAt: '2020-01-01T00:00:00Z' }])
    const nobody = { completedSteps: 0, totalSteps: 1, completed: false, current: null }
    expect(await progress({ device: randomUUID() })).toEqual(nobody)
  })
})
