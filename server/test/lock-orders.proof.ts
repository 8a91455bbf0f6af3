import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Engine, Tx } from '../src/db/store.ts'
import { transaction } from '../src/db/transaction.ts'
import type { Ballot, GroupFacts } from '../src/db/vote-store.ts'
import { removeDeletedCampaigns } from '../src/features/campaigns/delete-campaign.ts'
import { holdCampaign } from '../src/features/campaigns/queries.ts'
import { markForgotten, removeForgotten } from '../src/features/campaigns/respondents/forgotten.ts'
import { forgetGuest } from '../src/features/campaigns/respondents/routes.ts'
import { walkOn } from '../src/features/campaigns/respondents/walk-votes.ts'
import { mixUses } from '../src/features/codes/mix-uses.ts'
import { holdLogged, restartLogs } from '../src/features/log/restart-logs.ts'
import { deleteBrand } from '../src/features/operator/delete-brand.ts'
import { type PollNews, queueNews } from '../src/features/people/mail/queue-news.ts'
import { lockPerson } from '../src/features/people/members.ts'
import { createCategory, deleteCategory } from '../src/features/polls/change-category.ts'
import { decide } from '../src/features/votes/decide.ts'
import { DELIVERY_POLICY, recordOutcomes } from '../src/features/webhooks/sending/record-outcomes.ts'
import { pollKeyOf } from './ballot-box.ts'
import { blockedBackend } from './blocked-backend.ts'
import { createCampaign } from './campaigns.ts'
import { createCodeList, issueCodes, voteByCode } from './codes.ts'
import { engines } from './engines.ts'
import { holdPolls } from './hold-polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { castMany } from './voters.ts'
import { createWebhook } from './webhooks.ts'

setDefaultTimeout(60_000)

/** PostgreSQL's `deadlock_timeout`. */
const DEADLOCK_MS = 1_000

// Each test locks as one transaction does, lets another one wait, and goes on to the lock that the other would have in the wrong order.
describe.if(engines.includes('postgres'))('postgres: without a deadlock', () => {
  let service: TestService
  let brand: TestBrand
  /** Without a second try, the transaction that PostgreSQL ends would fail. */
  let once: Engine
  beforeAll(async () => {
    service = await startTestService('postgres', { jobs: 'by hand' })
    brand = await service.createBrand()
    once = { ...service.deps.engine, isBusy: () => false }
  })
  afterAll(() => service.stop())

  interface Meeting {
    readonly first: (tx: Tx) => Promise<unknown>
    /** Waits for a lock of `first`. */
    readonly other: () => Promise<unknown>
    readonly last: (tx: Tx) => Promise<unknown>
  }

  async function meet({ first, other, last }: Meeting): Promise<void> {
    const { waiting } = await transaction(once, async (tx) => {
      await first(tx)
      const waiting = other()
      await blockedBackend(service)
      await last(tx)
      return { waiting }
    })
    await waiting
  }

  test('a guest leaves during a purge', async () => {
    const poll = await service.createPoll(brand)
    await createCampaign(service, brand, [poll])
    await castMany(service, await pollKeyOf(service, poll), 1)
    const respondents = service.db.selectFrom('campaign_respondents').select('device')
    const { device } = await respondents.executeTakeFirstOrThrow()
    await meet({
      first: (tx) => markForgotten(tx, [device], service.clock.now() + 1),
      other: () => forgetGuest(once, device),
      last: (tx) => removeForgotten(once, tx, [device]),
    })
    expect(await respondents.execute()).toEqual([])
  })

  test('votes by code come while the uses of codes are mixed', async () => {
    const { codeListId } = await createCodeList(service, brand, 'Members')
    const [code = ''] = await issueCodes(service, brand, { codeListId, count: 1 })
    const poll = await service.createPoll(brand, { codeListId })
    const key = await pollKeyOf(service, poll)
    expect((await voteByCode(service, poll, { code, option: 'A', device: randomUUID() })).status).toBe(201)
    await service.db.updateTable('tallies').set({ updated_at: 0 }).where('poll_key', '=', key).execute()
    await meet({
      first: (tx) => holdPolls(tx, [key]),
      other: () => mixUses(once),
      last: (tx) => sql`select key from code_lists where id = ${codeListId} for update`.execute(tx),
    })
    const mixed = service.db.selectFrom('polls').select('mixed_uses').where('key', '=', key)
    expect(await mixed.executeTakeFirst()).toEqual({ mixed_uses: 1 })
  })

  test('a poll takes a category while it is deleted', async () => {
    await transaction(once, (tx) => createCategory(tx, service.deps, { slug: 'drinks', name: 'Drinks' }))
    const [category] = await service.db
      .selectFrom('categories')
      .select(['key', 'id'])
      .where('slug', '=', 'drinks')
      .execute()
    const poll = await service.createPoll(brand, { categoryIds: [category?.id] })
    const key = await pollKeyOf(service, poll)
    await meet({
      first: (tx) => holdPolls(tx, [key]),
      other: () => transaction(once, (tx) => deleteCategory(tx, service.deps, 'drinks')),
      last: (tx) => sql`select key from categories where slug = 'drinks' for key share`.execute(tx),
    })
    expect(await service.db.selectFrom('categories').select('key').where('slug', '=', 'drinks').execute()).toEqual([])
  })

  test('the logs of polls are extended while they are restarted', async () => {
    const poll = await service.createPoll(brand)
    const key = await pollKeyOf(service, poll)
    await castMany(service, key, 2)
    await service.runDue()
    await meet({
      first: (tx) => holdPolls(tx, [key]),
      other: () =>
        transaction(once, async (tx) => {
          await holdLogged(once, tx)
          return restartLogs(tx, service.clock.now())
        }),
      last: (tx) => sql`select key from poll_logs where poll_key = ${key} for update`.execute(tx),
    })
    const live = service.db
      .selectFrom('poll_logs')
      .select('key')
      .where('poll_key', '=', key)
      .where('ended_at', 'is', null)
    expect(await live.execute()).toEqual([])
  })

  test('leases of webhooks are renewed while outcomes are recorded', async () => {
    for (let i = 0; i < 2; i++) await createWebhook(service, brand)
    const hooks = await service.db.selectFrom('webhooks').select('key').orderBy('key').execute()
    const [one = 0, two = 0] = hooks.map(({ key }) => key)
    const ended = { deliveryKey: 0, url: '', at: 1, endedAt: 2, durationMs: 1, answer: null, isGone: false }
    const outcomes = [
      { ...ended, webhookKey: one, failure: null },
      { ...ended, webhookKey: two, failure: 'timeout' as const },
    ]
    const lock = (key: number) => (tx: Tx) => sql`select key from webhooks where key = ${key} for update`.execute(tx)
    await meet({
      first: lock(one),
      other: () => recordOutcomes({ ...service.deps, engine: once }, outcomes, DELIVERY_POLICY),
      last: lock(two),
    })
    const failing = service.db.selectFrom('webhooks').select('key').where('failing_since', 'is not', null)
    expect(await failing.execute()).toEqual([{ key: two }])
  })

  const [one, two, three] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2), Buffer.alloc(16, 3)]

  /** A poll in a campaign of which two devices are respondents. Their keys are in another order than the devices. */
  async function createFollowedPoll(): Promise<{ pollKey: number; campaign: number }> {
    const poll = await service.createPoll(brand)
    await createCampaign(service, brand, [poll])
    const pollKey = await pollKeyOf(service, poll)
    const campaign = await campaignOf(pollKey)
    for (const device of [two, one]) await takeOver(service.db, campaign, device)
    return { pollKey, campaign }
  }

  async function campaignOf(pollKey: number): Promise<number> {
    const members = service.db.selectFrom('campaign_polls').select('campaign_key').where('poll_key', '=', pollKey)
    return (await members.executeTakeFirstOrThrow()).campaign_key
  }

  /** The walk over the votes of a poll that has joined a campaign does this for one device after the other, in their order. */
  const takeOver = (db: Db, campaign: number, device: Buffer) =>
    sql`insert into campaign_respondents (campaign_key, device, started_at) values (${campaign}, ${device}, 1)
      on conflict (campaign_key, device) do update set started_at = excluded.started_at
      where excluded.started_at < campaign_respondents.started_at`.execute(db)

  const respondentsOf = async (campaign: number) => {
    const rows = service.db.selectFrom('campaign_respondents').select('device').where('campaign_key', '=', campaign)
    return (await rows.orderBy('device').execute()).map(({ device }) => Buffer.from(device))
  }

  test('votes are steps of a campaign that takes over older votes', async () => {
    const { pollKey, campaign } = await createFollowedPoll()
    const ballots = [three, two, one].map((device): Ballot => ({ pollKey, device, option: 'A' }))
    const decideWithSteps = (facts: GroupFacts) => {
      const { votes, counted, outcomes } = decide(ballots, facts)
      const raised = { events: [], tallyPolls: [], stepVotes: votes, stepEvents: () => [] }
      return { votes, counted, outcomes, raised }
    }
    await meet({
      first: (tx) => takeOver(tx, campaign, one),
      other: () => once.votes.commit(ballots, decideWithSteps),
      last: async (tx) => {
        await takeOver(tx, campaign, two)
        await takeOver(tx, campaign, three)
      },
    })
    expect(await respondentsOf(campaign)).toEqual([one, two, three])
  })

  test('forgotten devices are removed from a campaign that takes over older votes', async () => {
    const { campaign } = await createFollowedPoll()
    await meet({
      first: (tx) => takeOver(tx, campaign, one),
      other: () =>
        transaction(once, async (tx) => {
          await markForgotten(tx, [one, two], service.clock.now())
          await removeForgotten(once, tx, [one, two])
        }),
      last: (tx) => takeOver(tx, campaign, two),
    })
    expect(await respondentsOf(campaign)).toEqual([])
  })

  test('a poll joins a campaign that another one has left', async () => {
    const poll = await service.createPoll(brand)
    const poll_key = await pollKeyOf(service, poll)
    const ballots = [one, two].map((device): Ballot => ({ pollKey: poll_key, device, option: 'A' }))
    await once.votes.commit(ballots, (facts) => decide(ballots, facts))
    await createCampaign(service, brand, [poll])
    const campaign_key = await campaignOf(poll_key)
    await meet({
      // The walk over the votes of a poll that left finds devices that stay, then removes the others.
      first: async (tx) => {
        await holdCampaign(tx, campaign_key)
        await takeOver(tx, campaign_key, two)
      },
      other: () => walkOn(once, { campaign_key, poll_key }),
      last: (tx) => takeOver(tx, campaign_key, one),
    })
    expect(await respondentsOf(campaign_key)).toEqual([one, two])
  })

  test('a device of several campaigns is forgotten while its votes are steps of them', async () => {
    const campaigns = [(await createFollowedPoll()).campaign, (await createFollowedPoll()).campaign]
    const device = Buffer.alloc(16, 4)
    for (const campaign of campaigns.toReversed()) await takeOver(service.db, campaign, device)
    await meet({
      first: (tx) => takeOver(tx, campaigns[0] ?? 0, device),
      other: () => forgetGuest(once, device),
      last: (tx) => takeOver(tx, campaigns[1] ?? 0, device),
    })
    const left = service.db.selectFrom('campaign_respondents').select('key').where('device', '=', device)
    expect(await left.execute()).toEqual([])
  })

  test('a deleted campaign is removed while devices that voted there are forgotten', async () => {
    const { campaign } = await createFollowedPoll()
    await service.db.updateTable('campaigns').set({ deleted_at: 1 }).where('key', '=', campaign).execute()
    await meet({
      first: (tx) => takeOver(tx, campaign, one),
      other: () => removeDeletedCampaigns(once),
      last: (tx) => takeOver(tx, campaign, two),
    })
    expect(await respondentsOf(campaign)).toEqual([])
  })

  interface Told {
    readonly own: TestBrand
    readonly people: readonly [number, number]
    readonly news: readonly PollNews[]
  }

  /** A brand of two members who want news, which are read in an order that is not that of their keys. */
  async function wantNews(): Promise<Told> {
    const own = await service.createBrand()
    const pollKey = await pollKeyOf(service, await service.createPoll(own))
    const emails = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`]
    const people = await service.db
      .insertInto('people')
      .values(emails.map((email) => ({ id: randomUUID(), email, email_key: email, created_at: 1 })))
      .returning('key')
      .execute()
    const [first = 0, second = 0] = people.map(({ key }) => key).sort((left, right) => left - right)
    for (const [person_key, flag] of [
      [second, 'is_mailed_first'],
      [first, 'is_mailed_closed'],
    ] as const) {
      const member = { brand_key: own.brandKey, person_key, role: 'owner' as const, created_at: 1, [flag]: 1 }
      await service.db.insertInto('members').values(member).execute()
    }
    const news = [1, 0].map((total) => ({ brandKey: own.brandKey, pollKey, total }))
    return { own, people: [first, second], news }
  }

  const mails = (brandKey: number) =>
    service.db.selectFrom('member_mails').select('person_key').where('brand_key', '=', brandKey).execute()

  test('members of a brand that is deleted are told news', async () => {
    const { own, people, news } = await wantNews()
    await meet({
      first: (tx) => sql`select key from people where key = ${people[0]} for update`.execute(tx),
      other: () => transaction(once, (tx) => queueNews(once, tx, news, service.clock.now())),
      last: (tx) => deleteBrand(service.deps, tx, own.brandKey),
    })
    expect(await service.db.selectFrom('people').select('key').where('key', 'in', people).execute()).toEqual([])
    expect(await mails(own.brandKey)).toEqual([])
  })

  test('news do not wait for a person who is just changed', async () => {
    const { own, people, news } = await wantNews()
    await transaction(once, async (tx) => {
      for (const person of people) await lockPerson(tx, person)
      await transaction(once, (other) => queueNews(once, other, news, service.clock.now()))
    })
    expect(await mails(own.brandKey)).toHaveLength(2)
  })

  test('a vote that meets a deadlock all the same is tried again, and counted', async () => {
    const polls = [await service.createPoll(brand), await service.createPoll(brand)] as const
    await createCampaign(service, brand, polls)
    await createWebhook(service, brand, { events: ['campaign.step_completed'] })
    const [first, second] = polls
    const device = randomUUID()
    expect((await service.vote(first.slug, 'A', device)).status).toBe(201)
    const campaign = await campaignOf(await pollKeyOf(service, first))
    const poll = await pollKeyOf(service, second)
    const voting = Promise.withResolvers<number>()
    await meet({
      first: (tx) => sql`select key from campaign_respondents where campaign_key = ${campaign} for update`.execute(tx),
      other: async () => voting.resolve((await service.vote(second.slug, 'A', device)).status),
      last: async (tx) => {
        // Real time: the vote has waited for longer, so its process looks for a deadlock first, and PostgreSQL ends the vote.
        await Bun.sleep(DEADLOCK_MS / 2)
        await holdPolls(tx, [poll])
      },
    })
    expect(await voting.promise).toBe(201)
  })
})
