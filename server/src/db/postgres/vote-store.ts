import type pg from 'pg'
import { reasonOf } from '../../base/errors.ts'
import type { OptionName } from '../tables.ts'
import {
  type Ballot,
  type CastVote,
  COUNTED_WIDTHS,
  type Decision,
  type GroupFacts,
  type OutboxRow,
  OutcomeUnknown,
  type PollState,
  type Raised,
  type VoteStore,
  votesInCampaigns,
} from '../vote-store.ts'
import { isLost } from './failures.ts'
import { BEGIN_GROUP } from './limits.ts'
import { readStepEvents, sendEvents } from './vote-events.ts'
import { respondentValues, writeValues } from './vote-values.ts'

const DEVICE_BYTES = 16

/** Devices travel as one run of bytes and are cut apart by the server: an array of bytea costs an escape for each. */
const DEVICE_AT = (place: string) =>
  `substring($2::bytea from (${place}.at::int - 1) * ${DEVICE_BYTES} + 1 for ${DEVICE_BYTES})`

const LOCK = {
  name: 'ledger-lock',
  text: 'select key from polls where key = any($1::bigint[]) order by key for update',
}

/** A statement after the lock, because what a locking statement reads beside the locked row may be older. */
const READ_POLLS = {
  name: 'ledger-polls',
  text: `select key, opens_at, closes_at, archived_at, results_visibility, option_a, option_b, version, campaign_count
    from polls join tallies on tallies.poll_key = polls.key
    where polls.key = any($1::bigint[]) and is_draft = 0 and deleted_at is null`,
}

const READ_VOTES = {
  name: 'ledger-votes',
  text: `with asked as materialized (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now)
    select now, wanted.at::int as at, option, voted_at
    from asked
    left join unnest($1::bigint[]) with ordinality as wanted (poll_key, at) on true
    left join votes on votes.poll_key = wanted.poll_key and votes.device = ${DEVICE_AT('wanted')}
    where voted_at is not null or at = 1`,
}

const WRITE = {
  name: 'ledger-write',
  text: `with cast_votes as (
      select wanted.poll_key, ${DEVICE_AT('wanted')} as device, wanted.option, wanted.position
      from unnest($1::bigint[], string_to_array($3, null), $4::bigint[]) with ordinality as wanted (poll_key, option, position, at)
    ), added as (
      insert into votes (poll_key, device, option, voted_at, position)
      select poll_key, device, option, $5::bigint, position from cast_votes order by poll_key, device
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
    where tallies.poll_key = gain.poll_key`,
}

/** Sent only for votes on polls that are in a campaign. Two groups that add the same respondent come in one order. */
const ADD_RESPONDENTS = {
  name: 'ledger-respondents',
  text: `insert into campaign_respondents (campaign_key, device, started_at)
    select distinct campaign_key, ${DEVICE_AT('wanted')} as device, $3::bigint
    from unnest($1::bigint[]) with ordinality as wanted (poll_key, at)
    join campaign_polls on campaign_polls.poll_key = wanted.poll_key and place is not null
    order by campaign_key, device
    on conflict (campaign_key, device) do nothing`,
}

/**
 * A connection of its own that sends statements without waiting for the ones before: a group waits twice, once for
 * what it must know and once for the commit.
 */
export function createPostgresVoteStore(connect: () => Promise<pg.Client>): VoteStore & { close(): Promise<void> } {
  let client: Promise<pg.Client> | null = null
  let turn: Promise<unknown> = Promise.resolve()

  /** Forgotten as soon as it ends, be it while nobody asks it anything. */
  function open(): Promise<pg.Client> {
    const opening = connect()
    const forget = () => {
      if (client === opening) client = null
    }
    opening.then((opened) => opened.once('end', forget), forget)
    return opening
  }

  async function commitAlone<Outcome>(ballots: readonly Ballot[], decide: Decide<Outcome>): Promise<Decision<Outcome>> {
    client ??= open()
    const connected = await client
    try {
      return await runGroup(connected, ballots, decide)
    } catch (error) {
      // Whatever went wrong, a fresh connection is in no transaction. A lost one may never say goodbye: nobody waits.
      client = null
      connected.end().catch(() => undefined)
      throw error
    }
  }

  return {
    async commit(ballots, decide) {
      const mine = turn.then(() => commitAlone(ballots, decide))
      turn = mine.catch(() => undefined)
      return { decision: await mine, durable: Promise.resolve() }
    },
    async close() {
      await turn
      await (await client)?.end()
    },
  }
}

type Decide<Outcome> = (facts: GroupFacts) => Decision<Outcome>

async function runGroup<Outcome>(
  client: pg.Client,
  ballots: readonly Ballot[],
  decide: Decide<Outcome>,
): Promise<Decision<Outcome>> {
  const facts = await readFacts(client, ballots)
  const decision = decide(facts)
  const { votes, raised } = decision
  const inCampaigns = votesInCampaigns(votes, facts.polls)
  const sent: unknown[] = [
    votes.length > 0 && client.query({ ...WRITE, values: writeValues(votes, facts.now) }),
    inCampaigns.length > 0 && client.query({ ...ADD_RESPONDENTS, values: respondentValues(inCampaigns, facts.now) }),
  ]
  if (raised) {
    // With votes that are steps of a campaign, a group waits a third time: for what only they, once written, can tell.
    const steps = raised.stepVotes.length > 0 ? await readSteps(client, raised, sent) : []
    sent.push(...sendEvents(client, raised, [...raised.events, ...steps]))
  }
  try {
    await Promise.all([...sent, client.query('commit')])
  } catch (error) {
    throw isLost(error) ? new OutcomeUnknown(`The answer to a commit is lost: ${reasonOf(error)}`) : error
  }
  return decision
}

/** A failure of what was sent before is heard with it, and not left to nobody. */
async function readSteps(client: pg.Client, raised: Raised, sent: unknown[]): Promise<readonly OutboxRow[]> {
  const [steps] = await Promise.all([readStepEvents(client, raised), ...sent])
  return steps
}

type PollRow = PollState & { key: number }
type VoteRow = { now: number; at: number | null; option: OptionName | null; voted_at: number | null }

async function readFacts(client: pg.Client, ballots: readonly Ballot[]): Promise<GroupFacts> {
  const keys = [...new Set(ballots.map((ballot) => ballot.pollKey))]
  const devices = Buffer.concat(ballots.map((ballot) => ballot.device))
  const [, , polls, votes] = await Promise.all([
    client.query(BEGIN_GROUP),
    client.query({ ...LOCK, values: [keys] }),
    client.query<PollRow>({ ...READ_POLLS, values: [keys] }),
    client.query<VoteRow>({ ...READ_VOTES, values: [ballots.map((ballot) => ballot.pollKey), devices] }),
  ])
  const existing: (CastVote | null)[] = ballots.map(() => null)
  for (const { at, option, voted_at } of votes.rows) {
    if (at !== null && option !== null && voted_at !== null) existing[at - 1] = { option, votedAt: voted_at }
  }
  return {
    now: votes.rows[0]?.now ?? Number.NaN,
    polls: new Map(polls.rows.map((row) => [row.key, row])),
    existing,
  }
}
