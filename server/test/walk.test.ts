import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Ballot } from '../src/db/vote-store.ts'
import { removeDeletedCampaigns } from '../src/features/campaigns/delete-campaign.ts'
import { removeDeletedVotes } from '../src/features/campaigns/respondents/remove-deleted-votes.ts'
import { walkOn } from '../src/features/campaigns/respondents/walk-votes.ts'
import { decide } from '../src/features/votes/decide.ts'
import { newDevice, pollKeyOf } from './ballot-box.ts'
import { createCampaign, deleteCampaign, patchCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { deletePoll } from './polls.ts'
import { progressOf, responses, walkAll } from './responses.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { untilDone } from './until-done.ts'

const SMALL = { joined: 2, left: 2 }

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value)

describe.each([...engines])('%s: the walk through votes that were cast before', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    // Without the worker, which walks too.
    service = await startTestService(engine, { jobs: 'by hand' })
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  /** Through the store itself: many votes at once. */
  async function cast(poll: PollData, devices: readonly Uint8Array[]): Promise<void> {
    const pollKey = await pollKeyOf(service, poll)
    const ballots = devices.map((device): Ballot => ({ pollKey, device, option: 'A' }))
    const { durable } = await service.deps.engine.votes.commit(ballots, (facts) => decide(ballots, facts))
    await durable
    // Real time: votes get the database's time.
    await Bun.sleep(2)
  }
  const makeDevices = (count: number): Uint8Array[] => Array.from({ length: count }, newDevice)
  const makePolls = (count: number) => Promise.all(Array.from({ length: count }, () => service.createPoll(brand)))
  const totals = async (id: string) => (await responses(service, brand, id)).map(({ totalVotes }) => totalVotes)

  async function walkOf(campaignId: string, poll: PollData) {
    const { key } = await service.db
      .selectFrom('campaigns')
      .select('key')
      .where('id', '=', campaignId)
      .executeTakeFirstOrThrow()
    return { campaign_key: key, poll_key: await pollKeyOf(service, poll) }
  }

  test('finds the devices that voted before the campaign was created, and reports its progress', async () => {
    const [one, two] = (await makePolls(2)) as [PollData, PollData]
    const devices = makeDevices(7)
    await cast(one, devices.slice(0, 5))
    await cast(two, devices.slice(3))
    const { campaignId, responsesProgress } = await createCampaign(service, brand, [one, two])
    expect(responsesProgress).toEqual({ isComplete: false, votesRead: 0, votesToRead: 9 })
    const walk = await walkOf(campaignId, one)
    expect(await walkOn(service.deps.engine, walk, SMALL)).toBe(true)
    expect(await progressOf(service, brand, campaignId)).toEqual({ isComplete: false, votesRead: 2, votesToRead: 9 })
    for (const total of await totals(campaignId)) expect([1, 2]).toContain(total)
    await walkAll(service)
    expect(await progressOf(service, brand, campaignId)).toEqual({ isComplete: true, votesRead: 9, votesToRead: 9 })
    expect((await totals(campaignId)).sort()).toEqual([1, 1, 1, 1, 1, 2, 2])
    expect(await walkOn(service.deps.engine, walk, SMALL)).toBe(false)
  })

  test('a page that is read meanwhile holds what is done so far, and new votes at once', async () => {
    const [one, two] = (await makePolls(2)) as [PollData, PollData]
    const old = makeDevices(6)
    await cast(one, old)
    const { campaignId } = await createCampaign(service, brand, [one, two])
    const device = randomUUID()
    await service.vote(two.slug, 'B', device)
    const meanwhile = await responses(service, brand, campaignId)
    expect(meanwhile[0]).toMatchObject({ totalVotes: 1, votes: [{ position: 2, slug: two.slug, option: 'B' }] })
    await cast(two, old.slice(0, 3))
    const walk = await walkOf(campaignId, one)
    for (let more = true; more; more = await walkOn(service.deps.engine, walk, SMALL)) {
      const shown = await responses(service, brand, campaignId)
      expect(new Set(shown.map(({ respondentId }) => respondentId)).size).toBe(shown.length)
      expect(shown.length).toBeGreaterThanOrEqual(4)
    }
    const done = await responses(service, brand, campaignId)
    expect(done.map(({ totalVotes }) => totalVotes).sort()).toEqual([1, 1, 1, 1, 2, 2, 2])
    expect(done[0]?.respondentId).toBe(meanwhile[0]?.respondentId ?? '')
    const started = done.map(({ startedAt }) => startedAt)
    expect(started).toEqual(started.toSorted().toReversed())
  })

  test('a poll that leaves removes respondents who voted there alone, and updates the first vote of others', async () => {
    const [first, second, third] = (await makePolls(3)) as [PollData, PollData, PollData]
    const devices = makeDevices(6)
    const { campaignId } = await createCampaign(service, brand, [first, second, third])
    await cast(first, devices.slice(0, 4))
    await cast(second, devices.slice(4))
    await cast(third, devices.slice(2, 5))
    const before = await responses(service, brand, campaignId)
    expect(before).toHaveLength(6)
    const left = await patchCampaign(service, brand, campaignId, { polstIds: [second.id, third.id] })
    expect(left.body.data.responsesProgress).toEqual({ isComplete: false, votesRead: 0, votesToRead: 4 })
    expect(await totals(campaignId)).toHaveLength(4)
    await walkAll(service)
    expect(await progressOf(service, brand, campaignId)).toEqual({ isComplete: true, votesRead: 0, votesToRead: 0 })
    const after = await responses(service, brand, campaignId)
    expect(after.map(({ totalVotes }) => totalVotes).sort()).toEqual([1, 1, 1, 2])
    const started = after.map(({ startedAt }) => startedAt)
    expect(started).toEqual(started.toSorted().toReversed())
    const moved = before.filter(({ votes }) => votes[0]?.slug === first.slug && votes.length === 2)
    expect(
      after
        .slice(0, 2)
        .map(({ respondentId }) => respondentId)
        .sort(),
    ).toEqual(moved.map(({ respondentId }) => respondentId).sort())
    const stored = await service.db
      .selectFrom('campaign_respondents')
      .select('device')
      .where('campaign_key', '=', (await walkOf(campaignId, first)).campaign_key)
      .execute()
    expect(stored).toHaveLength(4)
  })

  test('a poll that returns or leaves before its walk is done ends in the state of the last change', async () => {
    const [one, two] = (await makePolls(2)) as [PollData, PollData]
    await cast(one, makeDevices(5))
    await cast(two, makeDevices(3))
    const { campaignId } = await createCampaign(service, brand, [one, two])
    const set = (...polls: PollData[]) =>
      patchCampaign(service, brand, campaignId, { polstIds: polls.map(({ id }) => id) })
    const walk = await walkOf(campaignId, one)
    await walkOn(service.deps.engine, walk, SMALL)
    await set(two)
    await walkOn(service.deps.engine, walk, SMALL)
    await set(two, one)
    await walkAll(service)
    expect(await totals(campaignId)).toHaveLength(8)
    await set(two)
    await set(one)
    await set(one, two)
    await set(two)
    await walkAll(service)
    expect(await totals(campaignId)).toHaveLength(3)
  })

  test('the votes of a deleted poll stay until no respondent depends on them', async () => {
    const [one, two] = (await makePolls(2)) as [PollData, PollData]
    const devices = makeDevices(5)
    const { campaignId } = await createCampaign(service, brand, [one, two])
    await cast(one, devices)
    await cast(two, devices.slice(0, 2))
    const { campaign_key, poll_key } = await walkOf(campaignId, one)
    await deletePoll(service, brand, one.slug)
    expect(await totals(campaignId)).toEqual([1, 1])
    const left = async () => {
      const { rows } = await sql<{ votes: number; traces: number }>`select
        (select cast(count(*) as bigint) from votes where poll_key = ${poll_key}) as votes,
        (select cast(count(*) as bigint) from campaign_polls where poll_key = ${poll_key}) as traces`.execute(
        service.db,
      )
      return rows[0] ?? { votes: 0, traces: 0 }
    }
    for (let now = await left(); now.votes > 0; now = await left()) {
      if (now.traces > 0) expect(now.votes).toBe(5)
      await untilDone(() => removeDeletedVotes(service.deps.engine))
      await walkOn(service.deps.engine, { campaign_key, poll_key }, SMALL)
    }
    expect(await left()).toEqual({ votes: 0, traces: 0 })
    const rows = await service.db
      .selectFrom('campaign_respondents')
      .select('device')
      .where('campaign_key', '=', campaign_key)
      .execute()
    expect(rows).toHaveLength(2)
    expect(await progressOf(service, brand, campaignId)).toEqual({ isComplete: true, votesRead: 0, votesToRead: 0 })
    const polls = await service.db.selectFrom('polls').select('campaign_count').where('key', '=', poll_key).execute()
    expect(polls).toEqual([{ campaign_count: 0 }])
  })

  test('several walks at once do each part once', async () => {
    const polls = await makePolls(3)
    const devices = makeDevices(40)
    for (const poll of polls) await cast(poll, devices)
    const { campaignId } = await createCampaign(service, brand, polls)
    const walks = await Promise.all(polls.map((poll) => walkOf(campaignId, poll)))
    const walk = async (at: number) => {
      const mine = walks[at % walks.length]
      while (mine && (await walkOn(service.deps.engine, mine, { joined: 7, left: 7 })));
    }
    const votes = Promise.all(devices.slice(0, 10).map(() => service.vote(polls[0]?.slug ?? '', 'A')))
    await Promise.all([0, 1, 2, 3, 4, 5].map(walk))
    expect((await votes).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
    expect((await totals(campaignId)).sort()).toEqual([...times(10, 1), ...times(40, 3)])
    await patchCampaign(service, brand, campaignId, { polstIds: [polls[1]?.id] })
    const late = Promise.all(makeDevices(5).map((device) => cast(polls[1] as PollData, [device])))
    await Promise.all([0, 2, 0, 2].map(walk))
    await late
    expect((await totals(campaignId)).sort()).toEqual(times(45, 1))
  })

  test('a device that votes while a poll joins, in any order, is a respondent', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = (await makePolls(2)) as [PollData, PollData]
      const { campaignId } = await createCampaign(service, brand, [one])
      const devices = Array.from({ length: 60 }, () => randomUUID())
      const votes = devices.map((device, i) =>
        // Real time: the votes come before, during and after the change.
        Bun.sleep(i / 3).then(() => service.vote(i % 2 === 0 ? one.slug : two.slug, 'A', device)),
      )
      // Real time: while the votes come.
      const made = Bun.sleep(5).then(() => createCampaign(service, brand, [two, one]))
      const joined = Bun.sleep(8).then(() => patchCampaign(service, brand, campaignId, { polstIds: [one.id, two.id] }))
      expect((await Promise.all(votes)).map(({ status }) => status)).toEqual(times(60, 201))
      expect((await joined).status).toBe(200)
      const ids = [campaignId, (await made).campaignId]
      await walkAll(service)
      for (const id of ids) expect(await totals(id)).toEqual(times(60, 1))
    }
  }, 60_000)

  test('a respondent who votes again while a poll leaves is kept', async () => {
    for (let round = 0; round < 5; round++) {
      const [leaving, staying] = (await makePolls(2)) as [PollData, PollData]
      const devices = makeDevices(30)
      const { campaignId } = await createCampaign(service, brand, [leaving, staying])
      await cast(leaving, devices)
      const walk = await walkOf(campaignId, leaving)
      await patchCampaign(service, brand, campaignId, { polstIds: [staying.id] })
      const walking = (async () => {
        while (await walkOn(service.deps.engine, walk, SMALL));
      })()
      await Promise.all(devices.map((device) => cast(staying, [device])))
      await walking
      expect(await totals(campaignId)).toEqual(times(30, 1))
    }
  }, 60_000)

  test('a campaign that is deleted during the walk leaves no respondent behind', async () => {
    const [one] = (await makePolls(1)) as [PollData]
    await cast(one, makeDevices(20))
    const { campaignId } = await createCampaign(service, brand, [one])
    const walk = await walkOf(campaignId, one)
    await walkOn(service.deps.engine, walk, SMALL)
    const [deleted] = await Promise.all([
      deleteCampaign(service, brand, campaignId),
      walkOn(service.deps.engine, walk, SMALL),
      walkOn(service.deps.engine, walk, SMALL),
    ])
    expect(deleted.status).toBe(204)
    expect(await walkOn(service.deps.engine, walk, SMALL)).toBe(false)
    await service.vote(one.slug, 'A')
    await untilDone(() => removeDeletedCampaigns(service.deps.engine))
    for (const table of ['campaign_respondents', 'campaign_polls'] as const) {
      const rows = await service.db
        .selectFrom(table)
        .select('campaign_key')
        .where('campaign_key', '=', walk.campaign_key)
        .execute()
      expect(rows).toEqual([])
    }
    expect(
      await service.db.selectFrom('campaigns').select('key').where('key', '=', walk.campaign_key).execute(),
    ).toEqual([])
  })
})
