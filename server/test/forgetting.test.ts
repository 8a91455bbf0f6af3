import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sweepForgotten } from '../src/features/campaigns/respondents/forgotten.ts'
import { deviceOfUuid } from '../src/features/people/tokens/device.ts'
import { countedVotes, pollKeyOf } from './ballot-box.ts'
import { createCampaign, patchCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { responses, walkAll } from './responses.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { recordsOf, voters } from './voters.ts'

describe.each([...engines])('%s: a guest who asks to be forgotten', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine, { settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  let networks = 0
  const elsewhere = () => ({ 'X-Forwarded-For': `10.1.${Math.floor(++networks / 250)}.${networks % 250}` })
  const forget = (device: string, headers: Record<string, string> = elsewhere()) =>
    service.request('DELETE', 'guests/me', { device, headers })

  async function forgotten(device: string): Promise<void> {
    const { status, text } = await forget(device)
    expect([status, text]).toEqual([204, ''])
  }

  const newPolls = (count: number): Promise<PollData[]> =>
    Promise.all(Array.from({ length: count }, () => service.createPoll(brand)))

  async function vote(poll: PollData, device: string, option = 'A'): Promise<void> {
    expect((await service.vote(poll.slug, option, device)).status).toBe(201)
  }

  const namesIn = async (poll: PollData) =>
    (await voters(service, brand, poll.slug)).map(({ respondentId }) => respondentId)

  const hashOf = (device: string) => deviceOfUuid(service.deps.keys.device, device)

  const guestOf = (device: string) =>
    service.db.selectFrom('guests').selectAll().where('device', '=', hashOf(device)).execute()

  const respondentsOf = (device: string) =>
    service.db.selectFrom('campaign_respondents').selectAll().where('device', '=', hashOf(device)).execute()

  test('keeps its votes counted, where they were, and a repeat refused with the first one', async () => {
    const [poll] = (await newPolls(1)) as [PollData]
    const device = randomUUID()
    await vote(poll, randomUUID(), 'B')
    await vote(poll, device)
    await vote(poll, randomUUID(), 'B')
    const before = await countedVotes(service, await pollKeyOf(service, poll))
    await forgotten(device)
    expect(await countedVotes(service, await pollKeyOf(service, poll))).toEqual(before)
    const again = await service.vote(poll.slug, 'B', device)
    expect([again.status, again.body.error.details]).toEqual([
      409,
      { existingVote: { option: 'A', votedAt: new Date(before[1]?.votedAt ?? 0).toISOString() } },
    ])
    const { tallies } = (await service.get<PollData>(`polls/${poll.slug}`)).body.data
    expect(tallies).toEqual({ optionA: 1, optionB: 2, total: 3 })
    expect(await guestOf(device)).toEqual([])
  })

  test('gets a respondent id of its own for each vote, unique and stable', async () => {
    const polls = await newPolls(3)
    const [device, other] = [randomUUID(), randomUUID()]
    for (const poll of polls) {
      await vote(poll, device)
      await vote(poll, other)
    }
    const [known] = await namesIn(polls[0] as PollData).then((names) => names.toReversed())
    await forgotten(device)
    const names = await Promise.all(polls.map(namesIn))
    const mine = names.map(([, name]) => name)
    expect(new Set([...mine, known]).size).toBe(4)
    expect(new Set(names.map(([name]) => name)).size).toBe(1)
    for (const name of mine) expect(name).toMatch(/^r_[A-Za-z0-9_-]{43}$/)
    await forgotten(device)
    expect(await Promise.all(polls.map(namesIn))).toEqual(names)
    const { text } = await service.get(`brands/me/polls/${polls[0]?.slug}/voters`, {
      token: brand.token,
      headers: { Accept: 'text/csv' },
    })
    expect(recordsOf(text).map((record) => record['respondentId'])).toEqual(names[0] ?? [])
  })

  test('and votes again is a new guest, not linked with the earlier votes', async () => {
    const [first, second, third] = (await newPolls(3)) as [PollData, PollData, PollData]
    const device = randomUUID()
    await vote(first, device)
    const [known] = await namesIn(first)
    await forgotten(device)
    // Real time: votes and requests to forget get the database's time.
    await Bun.sleep(3)
    await vote(second, device)
    await vote(third, device)
    const [[one], [two], [three]] = await Promise.all([namesIn(first), namesIn(second), namesIn(third)])
    expect(one).not.toBe(two)
    expect(two).toBe(three ?? '')
    expect(two).not.toBe(known)
    const [guest] = await guestOf(device)
    const [seen] = await voters(service, brand, second.slug)
    expect(guest?.first_seen_at).toBe(Date.parse(seen?.votedAt ?? ''))
    await forgotten(device)
    const after = await Promise.all([first, second, third].map(namesIn))
    expect(new Set(after.flat()).size).toBe(3)
    expect(after[0]).toEqual([one ?? ''])
  })

  test('leaves campaigns at once, stays out of them, and returns as a new respondent', async () => {
    const polls = await newPolls(3)
    const [first, second, third] = polls as [PollData, PollData, PollData]
    const { campaignId } = await createCampaign(service, brand, [first, second])
    const [device, other] = [randomUUID(), randomUUID()]
    for (const voter of [device, other]) {
      await vote(first, voter)
      await vote(second, voter)
      await vote(third, voter)
    }
    const before = await responses(service, brand, campaignId)
    expect(before).toHaveLength(2)
    await forgotten(device)
    const after = await responses(service, brand, campaignId)
    expect(after).toEqual(before.slice(0, 1))
    expect(await respondentsOf(device)).toEqual([])

    const later = await createCampaign(service, brand, [third])
    await patchCampaign(service, brand, campaignId, { polstIds: [second.id, third.id] })
    await walkAll(service)
    expect(await responses(service, brand, later.campaignId)).toHaveLength(1)
    expect(await responses(service, brand, campaignId)).toHaveLength(1)
    expect(await respondentsOf(device)).toEqual([])

    const fourth = await service.createPoll(brand)
    await patchCampaign(service, brand, campaignId, { polstIds: [second.id, third.id, fourth.id] })
    // Real time: votes and requests to forget get the database's time.
    await Bun.sleep(3)
    await vote(fourth, device, 'B')
    const [back] = await responses(service, brand, campaignId)
    expect(back).toMatchObject({ totalVotes: 1, votes: [{ position: 3, slug: fourth.slug, option: 'B' }] })
    expect([back?.respondentId ?? '']).toEqual((await namesIn(fourth)).slice(0, 1))
    expect(before.map(({ respondentId }) => respondentId)).not.toContain(back?.respondentId)
    await patchCampaign(service, brand, campaignId, { polstIds: [fourth.id, second.id] })
    await patchCampaign(service, brand, campaignId, { polstIds: [second.id] })
    await walkAll(service)
    expect(await responses(service, brand, campaignId)).toHaveLength(1)
    expect(await respondentsOf(device)).toEqual([])
  })

  test('while voting is forgotten either before or after each vote: a respondent has only its own votes', async () => {
    const polls = await newPolls(4)
    const { campaignId } = await createCampaign(service, brand, polls)
    const devices = Array.from({ length: 40 }, () => randomUUID())
    await Promise.all(
      devices.flatMap((device, i) => [
        ...polls.map((poll) => vote(poll, device)),
        // Real time: some are forgotten before their votes and some after.
        Bun.sleep(i % 5).then(() => forgotten(device)),
      ]),
    )
    const listed = await responses(service, brand, campaignId)
    const names = await Promise.all(polls.map(namesIn))
    for (const { respondentId, totalVotes, votes } of listed) {
      const known = polls.filter((_, i) => names[i]?.includes(respondentId)).map(({ slug }) => slug)
      expect([totalVotes, votes.map(({ slug }) => slug)]).toEqual([known.length, known])
    }
    const linked = new Set(names.flat().filter((name, _, all) => all.indexOf(name) !== all.lastIndexOf(name)))
    for (const name of linked) expect(listed.map(({ respondentId }) => respondentId)).toContain(name)
    await sweepForgotten(service.deps.engine)
    // Respondents that were restored may be in another position now.
    const swept = await responses(service, brand, campaignId)
    expect(new Set(swept)).toEqual(new Set(listed))
    const stored = await Promise.all(devices.map(respondentsOf))
    expect(stored.flat()).toHaveLength(listed.length)
    await Promise.all(devices.map(forgotten))
    expect(await responses(service, brand, campaignId)).toEqual([])
  })

  test('leaves no visible trace of a vote that was in flight, and its rows are removed later', async () => {
    const [first, second] = (await newPolls(2)) as [PollData, PollData]
    const { campaignId } = await createCampaign(service, brand, [first, second])
    const [gone, back] = [randomUUID(), randomUUID()]
    for (const device of [gone, back]) {
      await vote(first, device)
      const [row] = await respondentsOf(device)
      if (!row) throw new Error('no respondent')
      await forgotten(device)
      // Simulate a vote that committed after the transaction that forgot its device.
      const { key: _, ...fields } = row
      await service.db.insertInto('campaign_respondents').values(fields).execute()
    }
    expect(await responses(service, brand, campaignId)).toEqual([])
    // Real time: votes and requests to forget get the database's time.
    await Bun.sleep(3)
    await vote(second, back)
    const seen = await responses(service, brand, campaignId)
    expect(seen).toMatchObject([{ totalVotes: 1, votes: [{ slug: second.slug }] }])
    await sweepForgotten(service.deps.engine)
    expect(await respondentsOf(gone)).toEqual([])
    expect(await responses(service, brand, campaignId)).toEqual(seen)
    const [kept] = await respondentsOf(back)
    expect(kept?.started_at).toBe(Date.parse(seen[0]?.startedAt ?? ''))
  })

  test("by an app's token is the device of that token", async () => {
    const app = await service.createApp(brand.brandKey, ['view', 'vote'])
    const { accessToken } = await service.exchange(app, 'a phone of theirs')
    const [poll, other] = (await newPolls(2)) as [PollData, PollData]
    for (const { slug } of [poll, other]) {
      await service.post(`polls/${slug}/votes`, { token: accessToken, json: { option: 'A' } })
    }
    const before = [...(await namesIn(poll)), ...(await namesIn(other))]
    expect(new Set(before).size).toBe(1)
    const { status } = await service.request('DELETE', 'guests/me', { token: accessToken, headers: elsewhere() })
    expect(status).toBe(204)
    expect(new Set([...before, ...(await namesIn(poll)), ...(await namesIn(other))]).size).toBe(3)
  })

  test('must send a device id and nothing else, at most 30 times a minute from a network', async () => {
    expect((await service.request('DELETE', 'guests/me')).status).toBe(401)
    expect((await forget('not-a-uuid')).status).toBe(422)
    expect((await service.get('guests/me', { device: randomUUID() })).status).toBe(405)
    const preflight = await service.request('OPTIONS', 'guests/me', { headers: { Origin: 'https://page.test' } })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'DELETE, OPTIONS'])
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Device-Id')
    const here = { 'X-Forwarded-For': '203.0.113.9' }
    const first = await forget(randomUUID(), here)
    expect(first.headers.get('ratelimit-policy')).toBe('"forget";q=30;w=60')
    const more = await Promise.all(Array.from({ length: 40 }, () => forget(randomUUID(), here)))
    expect(more.filter(({ status }) => status === 204)).toHaveLength(29)
    const refused = more.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(11)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeWithin(1, 61)
  })
})
