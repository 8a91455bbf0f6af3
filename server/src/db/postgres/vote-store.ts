import type pg from 'pg'
import { reasonOf } from '../../base/errors.ts'
import type { OptionName } from '../tables.ts'
import {
  type AttributionKeys,
  type Ballot,
  type CastVote,
  COUNTED_WIDTHS,
  type CodeState,
  type Decision,
  type GroupFacts,
  type OutboxRow,
  OutcomeUnknown,
  type PollState,
  type Raised,
  type VoteStore,
  votesInCampaigns,
} from '../vote-store.ts'
import {
  ADD_ATTRIBUTED,
  attributedGains,
  attributedValues,
  attributionsOf,
  attributionValues,
  type KeysOfBallots,
  keysOfBallots,
  READ_ATTRIBUTIONS,
} from './ballots/attributions.ts'
import {
  ADD_USES,
  COUNT_USED,
  codedBallots,
  codedVotes,
  codeStates,
  codeValues,
  LOCK_LISTS,
  READ_CODES,
} from './ballots/code-uses.ts'
import { castVotes, respondentValues, writeValues } from './cast-votes.ts'
import { isLost, isUnplanned } from './database-failures.ts'
import { BEGIN_GROUP } from './transaction-settings.ts'
import { readStepEvents, sendEvents, voteOf } from './vote-events.ts'

type Work<T> = (client: pg.Client) => Promise<T>

/** A connection of the ledger alone. It does one work after the other, and is opened again after a failure. */
class LedgerConnection {
  readonly #connect: () => Promise<pg.Client>
  #client: Promise<pg.Client> | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(connect: () => Promise<pg.Client>) {
    this.#connect = connect
  }

  run<T>(work: Work<T>): Promise<T> {
    const mine = this.#turn.then(() => this.#runAlone(work))
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  async close(): Promise<void> {
    await this.#turn
    await (await this.#client)?.end()
  }

  async #runAlone<T>(work: Work<T>): Promise<T> {
    this.#client ??= this.#open()
    const connected = await this.#client
    try {
      return await work(connected)
    } catch (error) {
      // A new connection is certainly not in a transaction. The old one may never finish closing, so nobody waits for it.
      this.#client = null
      connected.end().catch(() => undefined)
      throw error
    }
  }

  /** Drops the connection as soon as it ends, even while it is idle. */
  #open(): Promise<pg.Client> {
    const opening = this.#connect()
    const forget = () => {
      if (this.#client === opening) this.#client = null
    }
    opening.then((opened) => opened.once('end', forget), forget)
    return opening
  }
}

const DEVICE_BYTES = 16

/** Devices are sent as one byte string and split by the server: an array of bytea would escape each one. */
const DEVICE_AT = (place: string) =>
  `substring($2::bytea from (${place}.at::int - 1) * ${DEVICE_BYTES} + 1 for ${DEVICE_BYTES})`

const LOCK = {
  name: 'ledger-lock',
  text: 'select key from polls where key = any($1::bigint[]) order by key for update',
}

/** A separate statement after the lock, because a locking statement may read an older state of other rows. */
const READ_POLLS = {
  name: 'ledger-polls',
  text: `select key, opens_at, closes_at, archived_at, results_visibility, campaign_count, code_list_key
    from polls where key = any($1::bigint[]) and is_draft = 0 and deleted_at is null`,
}

/** By itself, because Citus would ask every part of the table for a join with the polls. */
export const READ_TALLIES = {
  name: 'ledger-tallies',
  text: 'select poll_key as key, option_a, option_b, version from tallies where poll_key = any($1::bigint[])',
}

const READ_TIME = {
  name: 'ledger-time',
  text: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
}

/** The polls are named once more in `any (…)`, so that Citus asks only the parts that have one of them. */
export const READ_VOTES = {
  name: 'ledger-votes',
  text: `with wanted as materialized (
      select wanted.at::int as at, poll_key, ${DEVICE_AT('wanted')} as device
      from unnest($1::bigint[]) with ordinality as wanted (poll_key, at)
    )
    select at, option, voted_at from wanted cross join lateral ${voteOf('wanted', 'votes.poll_key = any($3::bigint[])')} as own`,
}

/** A lateral subquery with a limit is looked up for each row, with any statistics. */
const READ_FORGOTTEN = {
  name: 'ledger-forgotten',
  text: `select wanted.at::int as at, forgotten_at
    from unnest($1::bigint[]) with ordinality as wanted (poll_key, at)
    cross join lateral (
      select forgotten_at from forgotten_devices where forgotten_devices.device = ${DEVICE_AT('wanted')} limit 1
    ) as own`,
}

export const WRITE = {
  name: 'ledger-write',
  text: `with cast_votes as (
      select wanted.poll_key, ${DEVICE_AT('wanted')} as device, wanted.option, wanted.position, source_key, shown, campaign_key
      from unnest($1::bigint[], string_to_array($3, null), $4::bigint[], $9::bigint[], $10::text[], $11::bigint[])
        with ordinality as wanted (poll_key, option, position, source_key, shown, campaign_key, at)
    ), added as (
      insert into votes (poll_key, device, option, voted_at, position, source_key, shown, campaign_key)
      select poll_key, device, option, $5::bigint, position, source_key, shown, campaign_key
      from cast_votes order by poll_key, device
    ), gains as materialized (
      select * from unnest($6::bigint[], $7::bigint[], $8::bigint[]) as gain (poll_key, a, b)
    ), counted as (
      insert into vote_counts (poll_key, width, at, option_a, option_b)
      select poll_key, width, $5::bigint - $5::bigint % width, a, b
      from gains cross join (values ${COUNTED_WIDTHS.map((width) => `(${width}::bigint)`).join()}) as widths (width)
      on conflict (poll_key, width, at) do update
      set option_a = vote_counts.option_a + excluded.option_a, option_b = vote_counts.option_b + excluded.option_b
    )
    update tallies
    set option_a = option_a + gain.a, option_b = option_b + gain.b, version = version + 1, updated_at = $5::bigint
    from gains as gain
    where tallies.poll_key = gain.poll_key and tallies.poll_key = any($6::bigint[])`,
}

const RESPONDENTS = `insert into campaign_respondents (campaign_key, device, started_at)
    select distinct campaign_key, ${DEVICE_AT('wanted')} as device, $3::bigint
    from unnest($1::bigint[]) with ordinality as wanted (poll_key, at)
    join campaign_polls on campaign_polls.poll_key = wanted.poll_key and place is not null
    order by campaign_key, device
    on conflict (campaign_key, device)`

/** Sent only for votes on polls in campaigns. Everybody locks respondents in this order, so that two groups with the same one cannot deadlock. */
const ADD_RESPONDENTS = { name: 'ledger-respondents', text: `${RESPONDENTS} do nothing` }

/**
 * For campaign steps: if two servers take votes of one device, the later one must see the votes of the earlier one. The condition changes no row
 * but locks it, in the same pass as new ones: a second statement would lock out of order.
 */
const LOCK_RESPONDENTS = {
  name: 'ledger-lock-respondents',
  text: `${RESPONDENTS} do update set started_at = excluded.started_at where false`,
}

const PROBE = {
  name: 'ledger-probe',
  text: 'update readiness set checked_at = floor(extract(epoch from clock_timestamp()) * 1000)::bigint where key = 1',
}

/**
 * Groups that raise events or have codes are decided here, in two round trips, and all others by a function of the database, in one. On Citus
 * all are decided here: it cannot divide a statement whose plan is kept, as the function keeps its plans.
 */
export function createPostgresVoteStore(connect: () => Promise<pg.Client>): VoteStore & { close(): Promise<void> } {
  const connection = new LedgerConnection(connect)
  let isOnCitus = false
  let tookMs = 0
  const decideHere = <Outcome>(ballots: readonly Ballot[], decide: Decide<Outcome>) =>
    connection.run((client) => runGroup(client, ballots, decide))
  /** Votes can be distributed at any time, so the function is tried until it is refused. It has written nothing then. */
  const castThere = async <Outcome>(ballots: readonly Ballot[], decide: Decide<Outcome>) => {
    try {
      return await connection.run((client) => castVotes(client, ballots, decide))
    } catch (error) {
      if (!isUnplanned(error)) throw error
      isOnCitus = true
      return decideHere(ballots, decide)
    }
  }
  return {
    async commit(ballots, decide, { mayDecideInDatabase = false } = {}) {
      // The function takes no votes on polls with codes.
      const isForFunction = mayDecideInDatabase && !isOnCitus && !ballots.some(({ code }) => code !== undefined)
      const run = isForFunction ? castThere : decideHere
      const begunAt = performance.now()
      const decision = await run(ballots, decide)
      tookMs = performance.now() - begunAt
      return { decision, durable: Promise.resolve() }
    },
    pauseMs: () => pauseAfter(tookMs),
    probe: () => connection.run(runProbe),
    close: () => connection.close(),
  }
}

/** The pause between groups, as a share of the time that a group takes. */
const PAUSE = 1 / 16
const LONGEST_PAUSE_MS = 4

/** A timer has steps of a millisecond, which is too much where a group takes as long as a few of them. */
function pauseAfter(tookMs: number): number {
  const pause = Math.min(tookMs * PAUSE, LONGEST_PAUSE_MS)
  return pause < 1 ? 0 : pause
}

type Decide<Outcome> = (facts: GroupFacts) => Decision<Outcome>

async function runProbe(client: pg.Client): Promise<void> {
  const [, { rowCount }] = await Promise.all([client.query(BEGIN_GROUP), client.query(PROBE), client.query('commit')])
  if (rowCount !== 1) throw new Error('The table readiness has lost its row.')
}

async function runGroup<Outcome>(
  client: pg.Client,
  ballots: readonly Ballot[],
  decide: Decide<Outcome>,
): Promise<Decision<Outcome>> {
  const { facts, keysOf } = await readFacts(client, ballots)
  const decision = decide(facts)
  const { votes, raised } = decision
  const inCampaigns = votesInCampaigns(votes, facts.polls)
  const attributed = attributedGains(votes, keysOf)
  const coded = codedVotes(votes)
  const hasSteps = raised !== undefined && raised.stepVotes.length > 0
  const respondents = hasSteps ? LOCK_RESPONDENTS : ADD_RESPONDENTS
  const sent: unknown[] = [
    votes.length > 0 && client.query({ ...WRITE, values: writeValues(votes, facts.now, keysOf) }),
    attributed.length > 0 && client.query({ ...ADD_ATTRIBUTED, values: attributedValues(attributed, facts.now) }),
    coded.length > 0 && client.query({ ...COUNT_USED, values: codeValues(coded) }),
    coded.length > 0 && client.query({ ...ADD_USES, values: codeValues(coded) }),
    inCampaigns.length > 0 && client.query({ ...respondents, values: respondentValues(inCampaigns, facts.now) }),
  ]
  if (raised) {
    // Votes that are campaign steps need a third round trip: their events depend on the votes just written.
    const steps = hasSteps ? await readSteps(client, raised, sent) : []
    sent.push(...sendEvents(client, raised, [...raised.events, ...steps]))
  }
  try {
    await Promise.all([...sent, client.query('commit')])
  } catch (error) {
    throw isLost(error) ? new OutcomeUnknown(`The answer to a commit is lost: ${reasonOf(error)}`) : error
  }
  return decision
}

/** Awaits `sent` as well, so that a failed statement is reported here and not as an unhandled rejection. */
async function readSteps(client: pg.Client, raised: Raised, sent: unknown[]): Promise<readonly OutboxRow[]> {
  const [steps] = await Promise.all([readStepEvents(client, raised), ...sent])
  return steps
}

type TallyRow = Pick<PollState, 'option_a' | 'option_b' | 'version'> & { key: number }
type PollRow = Omit<PollState, keyof TallyRow> & { key: number }
type VoteRow = { at: number; option: OptionName; voted_at: number }
type AttributionRow = AttributionKeys & { at: number }

async function readFacts(
  client: pg.Client,
  ballots: readonly Ballot[],
): Promise<{ readonly facts: GroupFacts; readonly keysOf: KeysOfBallots }> {
  const keys = [...new Set(ballots.map((ballot) => ballot.pollKey))]
  const wanted = [ballots.map((ballot) => ballot.pollKey), Buffer.concat(ballots.map((ballot) => ballot.device))]
  const attributions = attributionsOf(ballots)
  const asked = [attributions.each.map(({ pollKey }) => pollKey), ...attributionValues(attributions)]
  const coded = codedBallots(ballots)
  const [, , time, polls, tallies, votes, forgotten, attributed, codes] = await Promise.all([
    client.query(BEGIN_GROUP),
    client.query({ ...LOCK, values: [keys] }),
    client.query<{ now: number }>(READ_TIME),
    client.query<PollRow>({ ...READ_POLLS, values: [keys] }),
    client.query<TallyRow>({ ...READ_TALLIES, values: [keys] }),
    client.query<VoteRow>({ ...READ_VOTES, values: [...wanted, keys] }),
    client.query<{ at: number; forgotten_at: number }>({ ...READ_FORGOTTEN, values: wanted }),
    attributions.each.length > 0 ? client.query<AttributionRow>({ ...READ_ATTRIBUTIONS, values: asked }) : { rows: [] },
    coded.length > 0 ? readCodes(client, coded, keys) : { rows: [] },
  ])
  const existing: (CastVote | null)[] = ballots.map(() => null)
  for (const { at, option, voted_at } of votes.rows) existing[at - 1] = { option, votedAt: voted_at }
  const forgottenAt = new Map(forgotten.rows.map(({ at, forgotten_at }) => [ballots[at - 1], forgotten_at]))
  return {
    facts: {
      now: time.rows[0]?.now ?? Number.NaN,
      polls: statesOf(polls.rows, tallies.rows),
      existing,
      codes: codeStates(coded, codes.rows),
      forgottenAt: (ballot) => forgottenAt.get(ballot) ?? null,
    },
    keysOf: keysOfBallots(ballots, attributions, attributed.rows),
  }
}

async function readCodes(client: pg.Client, coded: ReturnType<typeof codedBallots>, pollKeys: readonly number[]) {
  const [, codes] = await Promise.all([
    client.query({ ...LOCK_LISTS, values: [pollKeys] }),
    client.query<CodeState & { at: number }>({ ...READ_CODES, values: codeValues(coded) }),
  ])
  return codes
}

/** A poll without a tally is no poll to vote on. */
function statesOf(polls: readonly PollRow[], tallies: readonly TallyRow[]): ReadonlyMap<number, PollState> {
  const counted = new Map(tallies.map((row) => [row.key, row]))
  return new Map(
    polls.flatMap((row) => {
      const tally = counted.get(row.key)
      return tally ? [[row.key, { ...row, ...tally }]] : []
    }),
  )
}
