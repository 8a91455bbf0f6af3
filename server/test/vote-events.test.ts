import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { SECOND } from '../src/base/clock.ts'
import { deviceOfUuid, respondentIds } from '../src/features/people/tokens/device.ts'
import { raiseTallies } from '../src/features/votes/raise-tallies.ts'
import { createCampaign, patchCampaign } from './campaigns.ts'
import { dumpTables } from './dump.ts'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { deletePoll, patchPoll } from './polls.ts'
import { Receiver } from './receiver.ts'
import { type PollData, startTestService, type TestBrand, type TestService } from './service.ts'
import { voters } from './voters.ts'
import { createWebhook, deliveriesOf, patchWebhook } from './webhooks.ts'

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' }

interface Voted {
  readonly poll: { id: string; slug: string }
  readonly option: string
  readonly votedAt: string
  readonly respondentId: string
  readonly tallies: { optionA: number; optionB: number; total: number }
}

interface Counted {
  readonly poll: { id: string; slug: string }
  readonly tallies: { optionA: number; optionB: number; total: number }
  readonly version: number
}

interface Step {
  readonly campaign: { campaignId: string; title: string }
  readonly respondentId: string
  readonly completedSteps: number
  readonly totalSteps: number
}

describe.each([...engines])('%s: events of votes', (engine) => {
  let service: TestService
  let twin: TestService
  let database: OwnDatabase | null
  const undo: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    database = engine === 'postgres' ? await createDatabase() : null
    const shared = { settings, ...(database ? { database } : {}), jobs: 'by hand' } as const
    service = await startTestService(engine, shared)
    twin = database ? await startTestService(engine, shared) : service
  })
  afterAll(async () => {
    await Promise.all(undo.map((step) => step()))
    if (twin !== service) await twin.stop()
    await service.stop()
    await database?.drop()
  })

  /** Advances the clock of both servers and runs their due jobs concurrently, so that they compete. */
  async function pass(milliseconds: number): Promise<void> {
    const servers = new Set([service, twin])
    for (const { clock } of servers) clock.advance(milliseconds)
    await Promise.all([...servers].map((server) => server.runDue()))
    // Delivers the events that one server fanned out while the other held the webhook.
    await service.runDue()
  }

  async function scene(events: readonly string[]) {
    const brand: TestBrand = await service.createBrand()
    const receiver = new Receiver()
    undo.push(() => receiver.stop())
    const webhook = await createWebhook(service, brand, { url: receiver.url, events })
    const told = <Data>(type: string): Data[] =>
      receiver.received.filter(({ payload }) => payload.type === type).map(({ payload }) => payload.data as Data)
    return { brand, receiver, webhook, told }
  }

  const respondent = ({ brandKey }: TestBrand, device: string): string =>
    respondentIds(service.deps, { brandKey })(deviceOfUuid(service.deps.keys.device, device), null)

  const rowsFor = async ({ brandKey }: TestBrand) =>
    (await service.db.selectFrom('outbox').select('key').where('brand_key', '=', brandKey).execute()).length

  // spec: 6-6
  test('each vote raises one event, with the counts after it and a respondentId that is no device id', async () => {
    const { brand, receiver, told } = await scene(['poll.voted'])
    const poll = await service.createPoll(brand)
    const devices = Array.from({ length: 60 }, () => randomUUID())
    const replies = await Promise.all(
      devices.map((device, i) => (i % 2 ? service : twin).vote(poll.slug, i % 3 ? 'A' : 'B', device)),
    )
    expect(replies.every(({ status }) => status === 201)).toBe(true)
    // Refused votes raise no events.
    for (const device of devices.slice(0, 5)) expect((await service.vote(poll.slug, 'A', device)).status).toBe(409)
    await pass(SECOND)
    const votes = told<Voted>('poll.voted')
    expect(votes).toHaveLength(60)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60)
    const byRespondent = new Map(votes.map((vote) => [vote.respondentId, vote]))
    for (const [i, device] of devices.entries()) {
      const vote = byRespondent.get(respondent(brand, device))
      const { option, votedAt } = replies[i]?.body.data ?? {}
      expect(vote).toMatchObject({
        poll: { id: poll.id, slug: poll.slug },
        option: option ?? '',
        votedAt: votedAt ?? '',
      })
    }
    const totals = votes.map(({ tallies }) => tallies.total).sort((left, right) => left - right)
    expect(totals).toEqual(Array.from({ length: 60 }, (_, i) => i + 1))
    for (const { tallies } of votes) expect(tallies.optionA + tallies.optionB).toBe(tallies.total)
    const last = votes.find(({ tallies }) => tallies.total === 60)
    expect(last?.tallies).toEqual({ optionA: 40, optionB: 20, total: 60 })
    for (const { body, payload } of receiver.received) {
      expect(payload.timestamp).toBe((payload.data as unknown as Voted).votedAt)
      expect(devices.some((device) => body.includes(device))).toBe(false)
      expect(body).not.toMatch(/device|127\.0\.0\.1/)
    }
  })

  test('each of many votes at once raises its event, and other events do not wait for them', async () => {
    const { brand, receiver, told } = await scene(['poll.voted', 'poll.deleted'])
    const [poll, other] = [await service.createPoll(brand), await service.createPoll(brand)]
    const rush = Promise.all(Array.from({ length: 400 }, () => service.vote(poll.slug, 'A')))
    await service.write('DELETE', `brands/me/polls/${other.slug}`, brand)
    await pass(SECOND)
    expect(receiver.types).toContain('poll.deleted')
    expect((await rush).every(({ status }) => status === 201)).toBe(true)
    await pass(SECOND)
    expect(receiver.received).toHaveLength(401)
    const votes = told<Voted>('poll.voted')
    const totals = votes.map(({ tallies }) => tallies.total).sort((left, right) => left - right)
    expect(totals).toEqual(Array.from({ length: 400 }, (_, i) => i + 1))
    expect(new Set(votes.map(({ respondentId }) => respondentId)).size).toBe(400)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(401)
  }, 60_000)

  test('two brands get different respondentIds for one device', async () => {
    const device = randomUUID()
    const names: string[] = []
    for (let i = 0; i < 2; i++) {
      const { brand, told } = await scene(['poll.voted'])
      const poll = await service.createPoll(brand)
      await service.vote(poll.slug, 'A', device)
      await pass(SECOND)
      names.push(told<Voted>('poll.voted')[0]?.respondentId ?? '')
    }
    expect(names[0]).toMatch(/^r_[A-Za-z0-9_-]{43}$/)
    expect(names[0]).not.toBe(names[1])
  })

  test('a device that votes again after it was forgotten has the new respondentId of the list', async () => {
    const { brand, told } = await scene(['poll.voted', 'campaign.step_completed'])
    const [first, second] = [await service.createPoll(brand), await service.createPoll(brand)]
    await createCampaign(service, brand, [first, second])
    const device = randomUUID()
    await service.vote(first.slug, 'A', device)
    expect((await service.request('DELETE', 'guests/me', { device })).status).toBe(204)
    // Real time: votes and requests to forget get the database's time.
    await Bun.sleep(3)
    await service.vote(second.slug, 'A', device)
    await pass(SECOND)
    const [listed] = await voters(service, brand, second.slug)
    for (const type of ['poll.voted', 'campaign.step_completed']) {
      const names = told<Voted | Step>(type).map(({ respondentId }) => respondentId)
      expect(names.toSorted()).toEqual([respondent(brand, device), listed?.respondentId ?? ''].toSorted())
      expect(new Set(names).size).toBe(2)
    }
  })

  test('events hold hidden counts in full, because they are for the owner', async () => {
    const { brand, told } = await scene(['poll.voted', 'poll.tallies_updated'])
    const poll = await service.createPoll(brand, { resultsVisibility: 'never' })
    await service.vote(poll.slug, 'B')
    await pass(SECOND)
    expect(told<Voted>('poll.voted')[0]?.tallies).toEqual({ optionA: 0, optionB: 1, total: 1 })
    expect(told<Counted>('poll.tallies_updated')[0]?.tallies).toEqual({ optionA: 0, optionB: 1, total: 1 })
  })

  test('nothing is stored for a brand without a webhook for votes, until it has one', async () => {
    const { brand, webhook, told } = await scene(['poll.created'])
    const poll = await service.createPoll(brand)
    await pass(SECOND)
    const except = ['votes', 'tallies', 'guests', 'vote_counts']
    const before = await dumpTables(service.db, { except })
    for (let i = 0; i < 5; i++) await service.vote(poll.slug, 'A')
    expect(await dumpTables(service.db, { except })).toEqual(before)
    await patchWebhook(service, brand, webhook.id, { events: ['poll.voted'] })
    await service.vote(poll.slug, 'A')
    await pass(SECOND)
    expect(told<Voted>('poll.voted')).toHaveLength(1)
    await patchWebhook(service, brand, webhook.id, { status: 'DISABLED' })
    await service.vote(poll.slug, 'A')
    expect(await rowsFor(brand)).toBe(0)
  })

  test('poll.tallies_updated comes at most once a second for a poll, and always for the last vote', async () => {
    const { brand, receiver, told } = await scene(['poll.tallies_updated'])
    const polls = [await service.createPoll(brand), await service.createPoll(brand)] as const
    let votes = 0
    for (const { clock } of [service, twin]) clock.freeze()
    for (let round = 0; round < 9; round++) {
      await Promise.all([service, twin, service].map((each, i) => each.vote(polls[0].slug, i ? 'A' : 'B')))
      votes += 3
      if (round === 0) await service.vote(polls[1].slug, 'A')
      await pass(300)
    }
    const of = (poll: PollData) => told<Counted>('poll.tallies_updated').filter((each) => each.poll.id === poll.id)
    await pass(SECOND)
    for (const { clock } of [service, twin]) clock.thaw()
    const hot = of(polls[0])
    expect(hot.at(-1)?.tallies.total).toBe(votes)
    expect(hot.length).toBeGreaterThanOrEqual(2)
    expect(hot.length).toBeLessThanOrEqual(4)
    const times = receiver.received
      .filter(({ payload }) => (payload.data['poll'] as PollData).id === polls[0].id)
      .map(({ payload }) => Date.parse(payload.timestamp))
    for (const [i, at] of times.entries()) {
      if (i > 0) expect(at - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(1_000)
    }
    expect(hot.map(({ version }) => version).toSorted((left, right) => left - right)).toEqual(
      hot.map(({ version }) => version),
    )
    expect(of(polls[1])).toEqual([
      { poll: { id: polls[1].id, slug: polls[1].slug }, tallies: { optionA: 1, optionB: 0, total: 1 }, version: 1 },
    ])
    await pass(1_500)
    expect(of(polls[0])).toHaveLength(hot.length)
  }, 60_000)

  test('a deleted poll raises no more tallies, and several servers raise one event for one change', async () => {
    const { brand, told } = await scene(['poll.tallies_updated'])
    const [kept, doomed] = [await service.createPoll(brand), await service.createPoll(brand)]
    await service.vote(doomed.slug, 'A')
    await pass(SECOND)
    await service.vote(doomed.slug, 'A')
    await deletePoll(service, brand, doomed.slug)
    await service.vote(kept.slug, 'A')
    const now = service.clock.now() + 5_000
    await Promise.all([service, twin, service].map(({ deps }) => raiseTallies(deps, now)))
    await pass(SECOND)
    expect(told<Counted>('poll.tallies_updated').map(({ poll }) => poll.id)).toEqual([doomed.id, kept.id])
  })

  describe('in a campaign', () => {
    const EVENTS = ['campaign.step_completed', 'campaign.completed']

    async function walk(events = EVENTS) {
      const parts = await scene(events)
      const polls: PollData[] = []
      for (let i = 0; i < 3; i++) polls.push(await service.createPoll(parts.brand))
      const campaign = await createCampaign(service, parts.brand, polls)
      return { ...parts, polls, campaign }
    }

    const steps = (told: <Data>(type: string) => Data[], type: string) =>
      told<Step>(type).map(({ completedSteps, totalSteps }) => `${completedSteps}/${totalSteps}`)

    test('each step of a device raises campaign.step_completed, and the last one campaign.completed as well', async () => {
      const { brand, told, polls, campaign } = await walk()
      const device = randomUUID()
      for (const [i, poll] of polls.entries()) await (i % 2 ? twin : service).vote(poll.slug, 'A', device)
      await service.vote(polls[0]?.slug ?? '', 'A')
      await pass(SECOND)
      expect(steps(told, 'campaign.step_completed').sort()).toEqual(['1/3', '1/3', '2/3', '3/3'])
      expect(told<Step>('campaign.completed')).toEqual([
        {
          campaign: { campaignId: campaign.campaignId, title: campaign.title },
          respondentId: respondent(brand, device),
          completedSteps: 3,
          totalSteps: 3,
        },
      ])
      const mine = told<Step>('campaign.step_completed').filter(
        (step) => step.respondentId === respondent(brand, device),
      )
      expect(mine).toHaveLength(3)
    })

    test('simultaneous votes of one device count as consecutive steps, and complete the campaign once', async () => {
      const { told, polls } = await walk()
      const devices = Array.from({ length: 12 }, () => randomUUID())
      await Promise.all(
        devices.flatMap((device) =>
          polls.map((poll, i) => (i % 2 ? twin : service).vote(poll.slug, 'A', device).then(({ status }) => status)),
        ),
      )
      await pass(SECOND)
      expect(steps(told, 'campaign.completed')).toEqual(Array.from({ length: 12 }, () => '3/3'))
      const names = told<Step>('campaign.completed').map(({ respondentId }) => respondentId)
      expect(new Set(names).size).toBe(12)
      const counted = Map.groupBy(told<Step>('campaign.step_completed'), ({ respondentId }) => respondentId)
      for (const each of counted.values())
        expect(each.map(({ completedSteps }) => completedSteps).sort()).toEqual([1, 2, 3])
    })

    test('a poll that visitors do not see is no step, and an unpublished campaign raises nothing', async () => {
      const { brand, told, polls, campaign } = await walk()
      const [first, second, third] = polls
      if (!first || !second || !third) throw new Error('no polls')
      await patchPoll(service, brand, third.slug, { archived: true })
      const hidden = await createCampaign(service, brand, [first], { state: 'draft' })
      const both = await createCampaign(service, brand, [first, second])
      const device = randomUUID()
      await service.vote(first.slug, 'A', device)
      await service.vote(second.slug, 'A', device)
      await pass(SECOND)
      const ended = told<Step>('campaign.completed').map((step) => step.campaign.campaignId)
      expect(ended.sort()).toEqual([campaign.campaignId, both.campaignId].sort())
      expect(steps(told, 'campaign.step_completed').sort()).toEqual(['1/2', '1/2', '2/2', '2/2'])
      await patchCampaign(service, brand, hidden.campaignId, { state: 'published' })
      await service.vote(first.slug, 'A')
      await pass(SECOND)
      expect(steps(told, 'campaign.completed').sort()).toEqual(['1/1', '2/2', '2/2'])
    })

    test('polls that nobody could vote on block no completion, and one that opens later completes no second time', async () => {
      const { brand, told, polls } = await scene(EVENTS).then(async (parts) => {
        const open = await service.createPoll(parts.brand)
        const closed = await service.createPoll(parts.brand, { closesAt: '2020-01-01T00:00:00Z' })
        const later = await service.createPoll(parts.brand, { opensAt: '2099-01-01T00:00:00Z' })
        await createCampaign(service, parts.brand, [closed, open, later])
        return { ...parts, polls: { open, later } }
      })
      const device = randomUUID()
      await service.vote(polls.open.slug, 'A', device)
      await pass(SECOND)
      expect(steps(told, 'campaign.completed')).toEqual(['1/3'])
      // Real time: votes get the database's time.
      await Bun.sleep(2)
      await patchPoll(service, brand, polls.later.slug, { opensAt: new Date().toISOString() })
      // Real time: until the poll is open by the database's clock.
      await eventually(async () => (await service.vote(polls.later.slug, 'A', device)).status === 201)
      await service.vote(polls.later.slug, 'A')
      await pass(SECOND)
      expect(steps(told, 'campaign.step_completed').sort()).toEqual(['1/3', '1/3', '2/3'])
      expect(steps(told, 'campaign.completed')).toEqual(['1/3'])
    })

    test('a poll that closed since the first vote blocks its completion, and not that of later devices', async () => {
      const { brand, told, polls } = await walk()
      const [first, second, third] = polls as [PollData, PollData, PollData]
      const [early, late] = [randomUUID(), randomUUID()]
      await service.vote(first.slug, 'A', early)
      // Real time: votes get the database's time.
      await Bun.sleep(2)
      await patchPoll(service, brand, third.slug, { closesAt: new Date().toISOString() })
      // Real time: votes get the database's time.
      await Bun.sleep(2)
      for (const device of [early, late]) for (const { slug } of [first, second]) await service.vote(slug, 'A', device)
      await pass(SECOND)
      expect(told<Step>('campaign.completed').map(({ respondentId }) => respondentId)).toEqual([
        respondent(brand, late),
      ])
    })

    test('a webhook for campaign.completed alone receives no steps', async () => {
      const { receiver, polls } = await walk(['campaign.completed'])
      const device = randomUUID()
      for (const poll of polls) await service.vote(poll.slug, 'A', device)
      await pass(SECOND)
      expect(receiver.types).toEqual(['campaign.completed'])
    })
  })

  test('a vote whose event cannot be written is not cast, and can be cast again', async () => {
    const { brand, webhook } = await scene(['poll.voted'])
    const poll = await service.createPoll(brand)
    const device = randomUUID()
    await service.vote(poll.slug, 'A')
    await pass(SECOND)
    await service.db.schema.alterTable('outbox').renameTo('outbox_away').execute()
    const refused = await service.vote(poll.slug, 'A', device)
    await service.db.schema.alterTable('outbox_away').renameTo('outbox').execute()
    expect(refused.status).toBeGreaterThanOrEqual(500)
    expect((await service.vote(poll.slug, 'A', device)).status).toBe(201)
    await pass(SECOND)
    const log = await deliveriesOf(service, brand, webhook.id)
    expect(log).toHaveLength(2)
    service.logLines.length = 0
    twin.logLines.length = 0
  })
})
