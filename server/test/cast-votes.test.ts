import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { MINUTE } from '../src/base/clock.ts'
import type { Ballot } from '../src/db/vote-store.ts'
import { decide } from '../src/features/votes/decide.ts'
import { countedVotes, newDevice, pollKeyOf } from './ballot-box.ts'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { holdPolls } from './hold-polls.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'
import { HOUR } from './polls.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

setDefaultTimeout(240_000)

const BY_FUNCTION = { mayDecideInDatabase: true }
const BY_SERVER = { mayDecideInDatabase: false }

/** One poll of each kind, by the state that decides about its votes. The last three are steps of campaigns. */
const KINDS = [
  'open',
  'scheduled',
  'closed',
  'archived',
  'draft',
  'deleted',
  'step',
  'other step',
  'closed step',
] as const
const MISSING = KINDS.length
/** Polls that are closed or opened between two groups. */
const CHANGING = [0, 1, 2, 6]
/** Polls that show their options in a random order. */
const RANDOM = [0, 2, 7]

interface Model {
  readonly service: TestService
  readonly brand: TestBrand
}

/** A randomly drawn ballot. `poll` is an index in the polls of a box. */
interface Drawn {
  readonly poll: number
  readonly device: number
  readonly option: 'A' | 'B'
  readonly isUnproven: boolean
  readonly attribution: { source: string | null; shown: 'AB' | 'BA' | null; campaign: number | null } | null
}

const ballot = fc.record({
  poll: fc.integer({ min: 0, max: MISSING }),
  device: fc.integer({ min: 0, max: 7 }),
  option: fc.constantFrom('A' as const, 'B' as const),
  isUnproven: fc.boolean(),
  attribution: fc.option(
    fc.record({
      source: fc.constantFrom(null, 'newsletter', 'poster', 'undeclared'),
      shown: fc.constantFrom(null, 'AB' as const, 'BA' as const),
      campaign: fc.constantFrom(null, 0, 1, 2),
    }),
  ),
})
const group = fc.array(ballot, { minLength: 1, maxLength: 40 })
const groups = fc.array(fc.tuple(group, fc.subarray([...CHANGING])), { minLength: 1, maxLength: 5 })

const sumsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names.toSorted(), (name) => name)].map(([name, each]) => [name, each.length]))

describe.if(engines.includes('postgres'))('postgres: the function that casts a group of votes', () => {
  let database: OwnDatabase
  let model: Model

  beforeAll(async () => {
    database = await createDatabase()
    const service = await startTestService('sqlite', { settings: { DATABASE_URL: database.url }, jobs: 'by hand' })
    model = { service, brand: await service.createBrand() }
    const { key } = await service.db.selectFrom('brands').select('key').executeTakeFirstOrThrow()
    for (const name of ['newsletter', 'poster'])
      await service.db.insertInto('source_names').values({ brand_key: key, name, created_at: 0 }).execute()
  })
  afterAll(async () => {
    await model.service.stop()
    await database.drop()
  })

  /** Polls of their own for one way of casting, and devices that differ in a few bytes. */
  async function newBox() {
    const { service, brand } = model
    const polls = await Promise.all(KINDS.map(() => service.createPoll(brand)))
    const [, , , , , , step, other, closed] = polls
    if (!step || !other || !closed) throw new Error('there are too few polls')
    const campaigns = [
      await createCampaign(service, brand, [step, other]),
      await createCampaign(service, brand, [step, closed]),
    ]
    const keys = await Promise.all(polls.map((poll) => pollKeyOf(service, poll)))
    const update = (place: number, fields: object) =>
      service.db
        .updateTable('polls')
        .set(fields)
        .where('key', '=', keys[place] ?? 0)
        .execute()
    await update(1, { opens_at: Date.now() + HOUR })
    await update(2, { closes_at: Date.now() - HOUR })
    await update(3, { archived_at: Date.now() })
    await update(4, { is_draft: 1 })
    await update(5, { deleted_at: Date.now() })
    await update(8, { closes_at: Date.now() - HOUR })
    for (const place of RANDOM) await update(place, { option_order: 'random' })
    const devices = Array.from({ length: 8 }, (_, i) => new Uint8Array(16).with(i % 2 ? 15 : 0, i))
    return { keys, devices, campaigns: campaigns.map(({ campaignId }) => campaignId), update }
  }

  type Box = Awaited<ReturnType<typeof newBox>>

  const ballotsIn = ({ keys, devices, campaigns }: Box, drawn: readonly Drawn[]): Ballot[] =>
    drawn.map(({ poll, device, option, isUnproven, attribution: given }) => ({
      pollKey: keys[poll] ?? 2 ** 40,
      device: devices[device] ?? new Uint8Array(16),
      option,
      isUnproven,
      ...(given && { attribution: { ...given, campaign: campaigns[given.campaign ?? -1] ?? null } }),
    }))

  /** The outcomes for the voters. Times differ between boxes, so a time is shown as whether it is that of this group. */
  async function cast(box: Box, drawn: readonly Drawn[], options: typeof BY_FUNCTION) {
    const ballots = ballotsIn(box, drawn)
    let time = 0
    const { decision, durable } = await model.service.deps.engine.votes.commit(
      ballots,
      (facts) => {
        time = facts.now
        return decide(ballots, facts)
      },
      options,
    )
    await durable
    const shown = (vote: { option: string; votedAt: number } | null) => vote && [vote.option, vote.votedAt === time]
    return decision.outcomes.map((outcome) => {
      if (outcome.kind === 'accepted') {
        const { option_a, option_b, version, campaign_count, results_visibility } = outcome.poll
        return ['accepted', shown(outcome.vote), option_a, option_b, version, campaign_count, results_visibility]
      }
      return [outcome.kind, 'existing' in outcome ? shown(outcome.existing) : null]
    })
  }

  /** All rows of the polls of a box, with places instead of keys, and without times. */
  async function rowsOf({ keys, campaigns }: Box) {
    const { db } = model.service
    const votes = await db.selectFrom('votes').selectAll().where('poll_key', 'in', keys).execute()
    const tallies = await db.selectFrom('tallies').selectAll().where('poll_key', 'in', keys).execute()
    const campaignKeys = await Promise.all(
      campaigns.map(
        async (id) => (await db.selectFrom('campaigns').select('key').where('id', '=', id).executeTakeFirst())?.key,
      ),
    )
    const attributed = await db.selectFrom('attributed_counts').selectAll().where('poll_key', 'in', keys).execute()
    const counts = await db
      .selectFrom('vote_counts')
      .select(({ fn }) => ['poll_key', 'width', fn.sum('option_a').as('a'), fn.sum('option_b').as('b')])
      .where('poll_key', 'in', keys)
      .groupBy(['poll_key', 'width'])
      .execute()
    const respondents = await db
      .selectFrom('campaign_respondents')
      .innerJoin('campaigns', 'campaigns.key', 'campaign_key')
      .select(['campaigns.id', 'device', 'started_at'])
      .where('campaigns.id', 'in', campaigns)
      .execute()
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    const firstVote = (device: Uint8Array) =>
      Math.min(...votes.filter((vote) => hex(vote.device) === hex(device)).map((vote) => vote.voted_at))
    const times = new Map(
      [...new Set(votes.map((vote) => vote.voted_at))].sort((a, b) => a - b).map((time, i) => [time, i]),
    )
    return {
      votes: votes
        .map((vote) => {
          const { source_key, shown, campaign_key } = vote
          const attribution = [source_key, shown, campaign_key && campaignKeys.indexOf(campaign_key)]
          return [keys.indexOf(vote.poll_key), vote.position, hex(vote.device), vote.option, ...attribution].join()
        })
        .sort(),
      attributed: sumsOf(
        attributed.flatMap(({ poll_key, source_key, shown, campaign_key, option_a, option_b }) => {
          const name = [poll_key, source_key, shown, campaign_key].join()
          return [...new Array(option_a).fill(`${name},A`), ...new Array(option_b).fill(`${name},B`)]
        }),
      ),
      recounted: sumsOf(
        votes
          .filter(
            ({ source_key, shown, campaign_key }) => source_key !== null || shown !== null || campaign_key !== null,
          )
          .map(({ poll_key, source_key, shown, campaign_key, option }) =>
            [poll_key, source_key ?? 0, shown ?? '', campaign_key ?? 0, option].join(),
          ),
      ),
      tallies: tallies
        .map((tally) => [keys.indexOf(tally.poll_key), tally.option_a, tally.option_b, tally.version].join())
        .sort(),
      updated: tallies.every((tally) => tally.version === 0 || times.has(tally.updated_at)),
      counts: counts.map(({ poll_key, width, a, b }) => [keys.indexOf(poll_key), width, a, b].join()).sort(),
      respondents: respondents.map(({ id, device }) => [campaigns.indexOf(id), hex(device)].join()).sort(),
      startedAtAVote: respondents.every(
        ({ device, started_at }) => times.has(started_at) && started_at >= firstVote(device),
      ),
    }
  }

  /** Polls whose times change are closed now, or open. */
  async function close({ update }: Box, closed: readonly number[]): Promise<void> {
    for (const place of CHANGING) {
      await update(place, { opens_at: null, closes_at: closed.includes(place) ? Date.now() - 1 : null })
    }
  }

  test('tells voters the same and stores the same rows as the rule of the server, over random groups', async () => {
    await fc.assert(
      fc.asyncProperty(groups, async (drawn) => {
        const [own, other] = [await newBox(), await newBox()]
        for (const [ballots, closed] of drawn) {
          for (const box of [own, other]) await close(box, closed)
          expect(await cast(own, ballots, BY_FUNCTION)).toEqual(await cast(other, ballots, BY_SERVER))
        }
        const rows = await rowsOf(own)
        const { attributed, recounted, ...same } = rows
        const { attributed: otherAttributed, recounted: otherRecounted, ...otherSame } = await rowsOf(other)
        expect(same).toEqual(otherSame)
        expect(attributed).toEqual(recounted)
        expect(otherAttributed).toEqual(otherRecounted)
        expect([rows.updated, rows.startedAtAVote]).toEqual([true, true])
      }),
      { numRuns: 15 },
    )
  })

  // `castVotes` fails if the rule of the server, with the same facts, does not count what the function counted.
  test('agrees with the rule of the server to the millisecond in which a poll opens or closes', async () => {
    const { service, brand } = model
    const key = await pollKeyOf(service, await service.createPoll(brand))
    const { votes, votingTime } = service.deps.engine
    const kinds = new Set<string>()
    for (let i = 0; i < 400; i++) {
      const moment = (await votingTime(service.db)) + (i % 4)
      const fields = i % 2 ? { opens_at: moment, closes_at: null } : { opens_at: null, closes_at: moment }
      await service.db.updateTable('polls').set(fields).where('key', '=', key).execute()
      const ballots: Ballot[] = [{ pollKey: key, device: newDevice(), option: 'A' }]
      const { decision } = await votes.commit(ballots, (facts) => decide(ballots, facts), BY_FUNCTION)
      kinds.add(`${i % 2 ? 'opens' : 'closes'}: ${decision.outcomes[0]?.kind}`)
    }
    expect(kinds).toContain('opens: accepted')
    expect(kinds).toContain('closes: closed')
  })

  test('adds to the counts of a minute and an hour where only one of them has a row', async () => {
    const { service, brand } = model
    const keys = await Promise.all([1, 2].map(async () => pollKeyOf(service, await service.createPoll(brand))))
    const cast = async (options: readonly ('A' | 'B')[]) => {
      const ballots = keys.flatMap((pollKey) =>
        options.map((option): Ballot => ({ pollKey, device: newDevice(), option })),
      )
      await service.deps.engine.votes.commit(ballots, (facts) => decide(ballots, facts), BY_FUNCTION)
    }
    const sums = () =>
      service.db
        .selectFrom('vote_counts')
        .select(({ fn }) => ['poll_key', 'width', fn.sum('option_a').as('a'), fn.sum('option_b').as('b')])
        .where('poll_key', 'in', keys)
        .groupBy(['poll_key', 'width'])
        .orderBy('poll_key')
        .orderBy('width')
        .execute()
    await cast(['A', 'B', 'B'])
    // Simulate the first group of a minute, for one of the polls.
    const [first = 0] = keys
    await service.db.deleteFrom('vote_counts').where('poll_key', '=', first).where('width', '=', MINUTE).execute()
    await cast(['A'])
    const counts = (await sums()).map(({ poll_key, width, a, b }) => [poll_key === first, width, Number(a), Number(b)])
    expect(counts).toContainEqual([true, MINUTE, 1, 0])
    expect(counts).toContainEqual([true, HOUR, 2, 2])
    expect(counts).toContainEqual([false, MINUTE, 2, 2])
    expect(counts).toContainEqual([false, HOUR, 2, 2])
    expect(counts).toHaveLength(4)
  })

  test('refuses to acknowledge a group that the server would have decided otherwise', async () => {
    const { service, brand } = model
    const ballots: Ballot[] = [
      { pollKey: await pollKeyOf(service, await service.createPoll(brand)), device: newDevice(), option: 'A' },
    ]
    const otherwise = () => ({ votes: [], counted: new Map(), outcomes: [] })
    await expect(service.deps.engine.votes.commit(ballots, otherwise, BY_FUNCTION)).rejects.toThrow('disagree')
  })

  test('waits a second for a locked poll, and holds no other meanwhile that comes later', async () => {
    const { service, brand } = model
    const keys = await Promise.all([1, 2].map(async () => pollKeyOf(service, await service.createPoll(brand))))
    const [held = 0, free = 0] = keys.sort((left, right) => left - right)
    const cast = (pollKeys: readonly number[]) => {
      const ballots = pollKeys.map((pollKey): Ballot => ({ pollKey, device: newDevice(), option: 'A' }))
      return service.deps.engine.votes.commit(ballots, (facts) => decide(ballots, facts), BY_FUNCTION)
    }
    await service.db.transaction().execute(async (tx) => {
      await holdPolls(tx, [held])
      const error = await cast([free, held]).catch((reason: unknown) => reason)
      expect(service.deps.engine.isHeld(error)).toBe(true)
    })
    expect((await cast([free, held])).decision.counted.size).toBe(2)
  })

  test('is durable where the database or the role does not wait for the disk', async () => {
    const { service } = model
    // The function sets it for the rest of its transaction, which ends after the statement.
    const { rows } = await sql<{ before: string; after: string }>`
      select current_setting('synchronous_commit') as before, told.after
      from (select set_config('synchronous_commit', 'off', true) as off offset 0) as given,
        lateral (select cast_ballots('{}', '{}', '', case when off = 'off' then '' end, '{}', '{}', '{}', '{}', '{}') as answer offset 0) as casting,
        lateral (select case when answer is null then '' else current_setting('synchronous_commit') end as after) as told`.execute(
      service.db,
    )
    expect(rows[0]?.after).toBe('on')
  })

  // The last test: the server does not try the function again.
  test('is replaced by the rule of the server where Citus refuses to plan it', async () => {
    const { service, brand } = model
    const poll = await service.createPoll(brand)
    await sql`create or replace function cast_ballots(voted_keys bigint[], places integer[], devices bytea, options text,
      attributions integer[], attributed_places integer[], sources text[], campaign_ids text[], orders text[])
      returns text language plpgsql as $$ begin raise exception 'could not create distributed plan'; end $$`.execute(
      service.db,
    )
    const voters = Array.from({ length: 8 }, () => service.vote(poll.slug, 'A'))
    expect((await Promise.all(voters)).map(({ status }) => status)).toEqual(voters.map(() => 201))
    expect(await countedVotes(service, await pollKeyOf(service, poll))).toHaveLength(8)
  })
})
