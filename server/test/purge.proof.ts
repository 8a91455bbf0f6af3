import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { purgeGuests } from '../src/features/campaigns/respondents/purge-guests.ts'
import { deviceOfUuid } from '../src/features/people/tokens/device.ts'
import { countedVotes, pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { newPlace, serve, tossup, tossupJson } from './command.ts'
import { engines } from './engines.ts'
import { responses } from './responses.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { castMany, voters } from './voters.ts'

const DAY = 86_400_000

describe.each([...engines])('%s: purge', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const hashOf = (device: string) => deviceOfUuid(service.deps.keys.device, device)

  /** Backdates a device's votes, and the campaign rows that depend on them. */
  async function age(device: string, poll: PollData, days: number): Promise<void> {
    const then = Date.now() - days * DAY
    const pollKey = await pollKeyOf(service, poll)
    const votes = service.db.updateTable('votes').set({ voted_at: then }).where('device', '=', hashOf(device))
    await votes.where('poll_key', '=', pollKey).execute()
    await service.db
      .updateTable('campaign_respondents')
      .set({ started_at: then })
      .where('device', '=', hashOf(device))
      .execute()
  }

  async function voter(polls: readonly [PollData, number][]): Promise<string> {
    const device = randomUUID()
    for (const [poll, days] of polls) {
      expect((await service.vote(poll.slug, 'A', device)).status).toBe(201)
      if (days > 0) await age(device, poll, days)
    }
    return device
  }

  const purge = (days: number, votesInMemory?: number) =>
    purgeGuests(service.deps.engine, Date.now() - days * DAY, votesInMemory)

  test('forgets guests who last voted before the date, and nobody else; a second run finds nobody', async () => {
    const polls = await Promise.all([1, 2].map(() => service.createPoll(brand)))
    const [one, two] = polls as [PollData, PollData]
    const { campaignId } = await createCampaign(service, brand, polls)
    await voter([
      [one, 40],
      [two, 31],
    ])
    await voter([
      [one, 40],
      [two, 29],
    ])
    await voter([
      [one, 0],
      [two, 0],
    ])
    const tallies = await Promise.all(polls.map(async (poll) => countedVotes(service, await pollKeyOf(service, poll))))
    const before = (await voters(service, brand, one.slug)).map(({ respondentId }) => respondentId)
    expect(await purge(41)).toBe(0)
    expect(await purge(30)).toBe(1)
    const [namesOne, namesTwo] = await Promise.all(
      polls.map(async ({ slug }) => (await voters(service, brand, slug)).map(({ respondentId }) => respondentId)),
    )
    expect(namesOne?.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(namesTwo?.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(new Set([...before, ...(namesOne ?? []), ...(namesTwo ?? [])]).size).toBe(5)
    expect(await responses(service, brand, campaignId)).toHaveLength(2)
    expect(await Promise.all(polls.map(async (poll) => countedVotes(service, await pollKeyOf(service, poll))))).toEqual(
      tallies,
    )
    expect(await purge(30)).toBe(0)
    expect(await purge(28)).toBe(1)
    expect(await responses(service, brand, campaignId)).toHaveLength(1)
  })

  test('keeps a guest who votes meanwhile, from that vote on', async () => {
    const polls = await Promise.all([1, 2].map(() => service.createPoll(brand)))
    const [one, two] = polls as [PollData, PollData]
    const { campaignId } = await createCampaign(service, brand, polls)
    const devices = await Promise.all(Array.from({ length: 20 }, () => voter([[one, 90]])))
    const purging = purge(60)
    await Promise.all(
      devices.map(async (device) => expect((await service.vote(two.slug, 'B', device)).status).toBe(201)),
    )
    await purging
    await purge(60)
    const listed = await responses(service, brand, campaignId)
    expect(listed).toHaveLength(20)
    const [old, recent] = await Promise.all(
      polls.map(async ({ slug }) => (await voters(service, brand, slug)).map(({ respondentId }) => respondentId)),
    )
    for (const { respondentId, votes, startedAt } of listed) {
      expect(recent).toContain(respondentId)
      const isWhole = old?.includes(respondentId) ?? false
      expect(votes.map(({ slug }) => slug)).toEqual(isWhole ? [one.slug, two.slug] : [two.slug])
      expect(startedAt).toBe(votes[0]?.votedAt ?? '')
    }
  })

  test('forgets each guest once, in any number of batches, over many polls and votes', async () => {
    const polls = await Promise.all(Array.from({ length: 5 }, () => service.createPoll(brand)))
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
    for (const key of keys) await castMany(service, key, 700)
    await castMany(service, keys[0] ?? 0, 25_000)
    await sql`update votes set voted_at = 1000 where poll_key in (${sql.join(keys)})`.execute(service.db)
    expect(await purgeGuests(service.deps.engine, 1_001, 1_000)).toBe(28_500)
    const guests = await service.db.selectFrom('guests').selectAll().where('first_seen_at', '<=', 1_000).execute()
    expect(guests).toEqual([])
    expect(await purgeGuests(service.deps.engine, 1_001, 1_000)).toBe(0)
  }, 60_000)
})

describe.each([...engines])('%s: tossup purge', (engine) => {
  test('runs beside a server, prints what it did, and refuses anything but a number of days', async () => {
    const place = await newPlace(engine)
    await tossupJson(['brand', 'create', '--slug', 'acme', '--name', 'Acme'], place.settings)
    const server = await serve(place.settings)
    try {
      const before = Date.now()
      const done = await tossupJson(['purge', '--older-than', '30'], place.settings)
      expect(Object.keys(done)).toEqual(['forgotten', 'before'])
      expect(done['forgotten']).toBe(0)
      expect(Date.parse(String(done['before']))).toBeWithin(before - 30 * DAY - 10_000, Date.now() - 30 * DAY + 10_000)
      const { code, stdout } = await tossup(['purge', '--older-than', '7'], place.settings)
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(
          /^Forgot 0 guests whose last vote was before \S+Z\. Votes, tallies and positions are unchanged\.\n$/,
        ),
      ])
      for (const words of [
        [],
        ['--older-than', ''],
        ['--older-than', '0'],
        ['--older-than', '-1'],
        ['--older-than', '1.5'],
      ]) {
        const refused = await tossup(['purge', ...words], place.settings)
        expect([words, refused.code, refused.stdout]).toEqual([words, 2, ''])
      }
    } finally {
      server.kill('SIGTERM')
      expect((await server.ended).code).toBe(0)
      await place.clear()
    }
  }, 60_000)
})
