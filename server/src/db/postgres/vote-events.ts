import type pg from 'pg'
import type { NewVote, OutboxRow, Raised, StepRow } from '../vote-store.ts'

/** Separates texts. JSON escapes control characters, so no payload, id or type contains this one. */
const BETWEEN = '\x1e'

/** Texts are sent joined and split by the server: in an array parameter, each quote of a payload would be escaped. */
const ADD_EVENTS = {
  name: 'ledger-events',
  text: `insert into outbox (id, brand_key, type, payload, created_at)
    select id, brand_key, type, payload, created_at
    from unnest(string_to_array($1, E'\\x1e'), $2::bigint[], string_to_array($3, E'\\x1e'), string_to_array($4, E'\\x1e'),
      $5::bigint[]) as event (id, brand_key, type, payload, created_at)`,
}

/** Sorted by key against deadlocks. Rows already due are locked too, so that no notice is sent before these votes. */
const ADD_NOTICES = {
  name: 'ledger-tally-notices',
  text: `insert into tally_notices (poll_key, is_due)
    select poll_key, 1 from unnest($1::bigint[]) as poll (poll_key) order by poll_key
    on conflict (poll_key) do update set is_due = 1 where tally_notices.is_due = 0`,
}

const VOTES = 'unnest($1::bigint[]) with ordinality as vote (poll_key, at)'
const DEVICE = 'substring($2::bytea from (vote.at::int - 1) * 16 + 1 for 16)'

/**
 * The vote of a device on a poll, for each row of `wanted`. The grouping changes no row. It makes PostgreSQL look up the vote of each
 * row: with a plan kept from when there were few votes, a plain join would read all votes. Citus looks the votes up on the workers.
 */
export const voteOf = (wanted: string, more = 'true') => `(
      select votes.option, votes.voted_at from votes
      where votes.poll_key = ${wanted}.poll_key and votes.device = ${wanted}.device and ${more}
      group by votes.poll_key, votes.option, votes.voted_at
    )`

const READ_STEPS = {
  name: 'ledger-steps',
  text: `with step as materialized (
      select vote.at::int - 1 as at, campaigns.id as campaign_id, campaigns.title, steps.poll_key,
        polls.opens_at, polls.closes_at, ${DEVICE} as device
      from ${VOTES}
      join campaign_polls voted on voted.poll_key = vote.poll_key and voted.place is not null
      join campaigns on campaigns.key = voted.campaign_key and campaigns.state = 'published' and campaigns.deleted_at is null
      join campaign_polls steps on steps.campaign_key = campaigns.key and steps.place is not null
      join polls on polls.key = steps.poll_key and is_draft = 0 and archived_at is null and polls.deleted_at is null
    ), done as materialized (
      select at, campaign_id, step.poll_key, own.voted_at from step cross join lateral ${voteOf('step')} as own
    )
    select at, campaign_id, title,
      json_agg(json_build_object('opens_at', opens_at, 'closes_at', closes_at, 'voted_at', voted_at)) as polls
    from step left join done using (at, campaign_id, poll_key)
    group by at, campaign_id, title`,
}

/** Reads the campaign progress for events of a group before it commits, under the locks of its respondents. Sends nothing if no vote is a campaign step. */
export async function readStepEvents(
  client: pg.Client,
  { stepVotes, stepEvents }: Raised,
): Promise<readonly OutboxRow[]> {
  if (stepVotes.length === 0) return []
  const steps = await client.query<StepRow>({ ...READ_STEPS, values: stepValues(stepVotes) })
  return stepEvents(steps.rows)
}

/** The remaining statements of a group, sent without waiting for each other. */
export const sendEvents = (client: pg.Client, { tallyPolls }: Raised, events: readonly OutboxRow[]) => [
  events.length > 0 && client.query({ ...ADD_EVENTS, values: eventValues(events) }),
  tallyPolls.length > 0 && client.query({ ...ADD_NOTICES, values: [tallyPolls] }),
]

const stepValues = (votes: readonly NewVote[]): unknown[] => [
  votes.map(({ ballot }) => ballot.pollKey),
  Buffer.concat(votes.map(({ ballot }) => ballot.device)),
]

const eventValues = (events: readonly OutboxRow[]): unknown[] => [
  events.map(({ id }) => id).join(BETWEEN),
  events.map(({ brand_key }) => brand_key),
  events.map(({ type }) => type).join(BETWEEN),
  events.map(({ payload }) => payload).join(BETWEEN),
  events.map(({ created_at }) => created_at),
]
