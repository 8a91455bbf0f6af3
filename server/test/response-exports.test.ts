import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { allRespondents } from '../src/features/analytics/voters.ts'
import { createCampaign, deleteCampaign, patchCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { problemsOf } from './polls.ts'
import { type RespondentData, responses, walkAll } from './responses.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { csvOf, recordsOf } from './voters.ts'

describe.each([...engines])('%s: the responses of a campaign as a file', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const file = (campaignId: string, type: string, { token }: Pick<TestBrand, 'token'> = brand) =>
    service.get(`brands/me/campaigns/${campaignId}/responses`, { token, headers: { Accept: type } })

  /** Every third respondent answers only the first poll. */
  async function answered(voters: number): Promise<{ campaignId: string; polls: PollData[]; campaignKey: number }> {
    const polls = [await service.createPoll(brand), await service.createPoll(brand)]
    const { campaignId } = await createCampaign(service, brand, polls)
    await Promise.all(
      Array.from({ length: voters }, async (_, i) => {
        const device = randomUUID()
        for (const poll of i % 3 === 0 ? polls.slice(0, 1) : polls) {
          expect((await service.vote(poll.slug, i % 2 ? 'A' : 'B', device)).status).toBe(201)
        }
      }),
    )
    const { key } = await service.db
      .selectFrom('campaigns')
      .select('key')
      .where('id', '=', campaignId)
      .executeTakeFirstOrThrow()
    return { campaignId, polls, campaignKey: key }
  }

  const linesOf = (text: string): RespondentData[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))

  test('has the content of the list: as NDJSON one respondent a line, as CSV one vote a row', async () => {
    const { campaignId } = await answered(30)
    const listed = await responses(service, brand, campaignId)
    expect(listed).toHaveLength(30)
    const lines = await file(campaignId, 'application/x-ndjson')
    expect(lines.headers.get('content-disposition')).toStartWith(
      `attachment; filename="responses-${campaignId}.ndjson"; filename*=UTF-8''responses%20-%20`,
    )
    expect(linesOf(lines.text)).toEqual(listed)
    const csv = await file(campaignId, 'text/csv')
    expect(csv.headers.get('content-disposition')).toStartWith(
      `attachment; filename="responses-${campaignId}.csv"; filename*=UTF-8''responses%20-%20`,
    )
    expect([csv.headers.get('vary'), csv.headers.get('cache-control')]).toEqual([
      'Accept-Encoding, Accept',
      'private, no-store',
    ])
    expect(csv.text).toStartWith('respondentId,startedAt,position,slug,option,votedAt,label,title\r\n')
    expect(recordsOf(csv.text)).toEqual(
      listed.flatMap(({ respondentId, startedAt, votes }) =>
        votes.map(({ position, slug, option, votedAt }) => ({
          ...{ respondentId, startedAt, position: String(position), slug: csvOf(slug) },
          ...{ option, votedAt, label: option === 'A' ? 'Tea' : 'Coffee', title: 'Tea or coffee?' },
        })),
      ),
    )
  })

  test('in wide form has one respondent a row and one poll a column', async () => {
    const { campaignId, polls } = await answered(30)
    const listed = await responses(service, brand, campaignId)
    const wide = await service.get(`brands/me/campaigns/${campaignId}/responses?layout=wide&bom=1`, {
      token: brand.token,
      headers: { Accept: 'text/csv' },
    })
    expect(wide.headers.get('content-disposition')).toStartWith(
      `attachment; filename="responses-wide-${campaignId}.csv"; filename*=UTF-8''responses-wide%20-%20`,
    )
    const columns = polls.map(({ slug }) => `Tea or coffee? (${slug})`)
    expect(wide.text.replace('\ufeff', '')).toStartWith(`respondentId,startedAt,totalVotes,${columns.join(',')}\r\n`)
    expect(recordsOf(wide.text.replace('\ufeff', ''))).toEqual(
      listed.map(({ respondentId, startedAt, totalVotes, votes }) => {
        const answer = ({ slug }: PollData) => {
          const option = votes.find((vote) => vote.slug === slug)?.option
          return option ? `${option}: ${option === 'A' ? 'Tea' : 'Coffee'}` : ''
        }
        const answers = polls.map((poll, i) => [columns[i] ?? '', answer(poll)])
        return { respondentId, startedAt, totalVotes: String(totalVotes), ...Object.fromEntries(answers) }
      }),
    )
    const bad = await service.get(`brands/me/campaigns/${campaignId}/responses?layout=tall`, { token: brand.token })
    expect(bad.status).toBe(422)
  })

  test('without respondents is empty', async () => {
    const { campaignId } = await createCampaign(service, brand, [await service.createPoll(brand)])
    expect((await file(campaignId, 'application/x-ndjson')).text).toBe('')
    expect(recordsOf((await file(campaignId, 'text/csv')).text)).toEqual([])
  })

  test('holds no vote that was cast after it began, by new or by earlier respondents', async () => {
    const { campaignId, campaignKey, polls } = await answered(12)
    const [first, second] = polls as [PollData, PollData]
    const device = randomUUID()
    await service.vote(first.slug, 'A', device)
    const before = await responses(service, brand, campaignId)
    const until = await service.deps.engine.votingTime(service.db)
    // Real time: votes get the database's time.
    await Bun.sleep(3)
    const parts = allRespondents(service.deps.engine, { campaignKey, until, part: 5 })
    const seen = [...((await parts.next()).value ?? [])]
    await service.vote(second.slug, 'A', device)
    await service.vote(first.slug, 'A', randomUUID())
    for await (const part of parts) seen.push(...part)
    expect(seen.map(({ votes }) => votes.length)).toEqual(before.map(({ totalVotes }) => totalVotes))
    const late = allRespondents(service.deps.engine, { campaignKey, until, part: 5 })
    expect((await Array.fromAsync(late)).flat().map(({ votes }) => votes.length)).toEqual(
      before.map(({ totalVotes }) => totalVotes),
    )
  })

  test('is cut off when its campaign is deleted, and never ends as if it were complete', async () => {
    const { campaignId, campaignKey } = await answered(12)
    const parts = allRespondents(service.deps.engine, { campaignKey, until: Date.now(), part: 5 })
    await parts.next()
    await deleteCampaign(service, brand, campaignId)
    await expect(Array.fromAsync(parts)).rejects.toThrow('deleted')
  })

  test('is cut off when the polls of the campaign change, and never mixes two lists of polls', async () => {
    const changes = {
      'are put into another order': ({ campaignId, polls }) =>
        patchCampaign(service, brand, campaignId, { polstIds: polls.map(({ id }) => id).toReversed() }),
      'become fewer': ({ campaignId, polls }) =>
        patchCampaign(service, brand, campaignId, { polstIds: polls.slice(0, 1).map(({ id }) => id) }),
      'are deleted': ({ polls }) =>
        service.write('DELETE', `brands/me/polls/${polls[1]?.slug}`, { token: brand.token }),
    } satisfies Record<string, (campaign: Awaited<ReturnType<typeof answered>>) => Promise<unknown>>
    for (const change of Object.values(changes)) {
      const campaign = await answered(12)
      const parts = allRespondents(service.deps.engine, {
        campaignKey: campaign.campaignKey,
        until: Date.now(),
        part: 5,
      })
      await parts.next()
      await change(campaign)
      // Before the first byte the failure is an answer, and the next request gets the file.
      await expect(Array.fromAsync(parts)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        headers: { 'Retry-After': '1' },
      })
    }
  })

  test('has no limit and no cursor, and is not given to another brand', async () => {
    const { campaignId } = await answered(1)
    await walkAll(service)
    const reply = await service.get(`brands/me/campaigns/${campaignId}/responses?limit=1`, {
      token: brand.token,
      headers: { Accept: 'text/csv' },
    })
    expect([reply.status, ...problemsOf(reply)]).toEqual([400, 'limit not_paged'])
    expect((await file(campaignId, 'text/csv', await service.createBrand())).status).toBe(404)
    expect((await file(randomUUID(), 'text/csv')).status).toBe(404)
    expect((await file('not-a-uuid', 'text/csv')).status).toBe(422)
    const manager = await service.exchange(await service.createApp(brand.brandKey, ['view', 'vote', 'manage']))
    expect((await file(campaignId, 'text/csv', { token: manager.accessToken })).status).toBe(403)
  })
})
