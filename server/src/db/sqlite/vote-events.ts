import type { Database } from 'bun:sqlite'
import type { Ballot, OutboxRow, Raised, StepPoll, StepRow } from '../vote-store.ts'
import type { Voters } from './voters.ts'

interface Step extends Pick<StepRow, 'campaign_id' | 'title'>, Omit<StepPoll, 'voted_at'> {
  readonly poll_key: number
}

/** Writes the events and notices of a group's votes in the group's transaction, after the votes. */
export function createEventWriter(file: Database, voters: Voters): (raised: Raised) => void {
  const addEvent = file.query('insert into outbox (id, brand_key, type, payload, created_at) values (?, ?, ?, ?, ?)')
  const addNotice = file.query(
    'insert into tally_notices (poll_key, is_due) values (?, 1) on conflict (poll_key) do update set is_due = 1',
  )
  const readSteps = file.query<Step, [number]>(
    `select campaigns.id as campaign_id, campaigns.title, steps.poll_key, polls.opens_at, polls.closes_at
     from campaign_polls as voted
     join campaigns on campaigns.key = voted.campaign_key and campaigns.state = 'published' and campaigns.deleted_at is null
     join campaign_polls as steps on steps.campaign_key = campaigns.key and steps.place is not null
     join polls on polls.key = steps.poll_key and is_draft = 0 and archived_at is null and polls.deleted_at is null
     where voted.poll_key = +? and voted.place is not null`,
  )

  /** The progress of a device in each campaign of a poll that it has voted on. */
  function stepsAt(at: number, { pollKey, device }: Ballot): StepRow[] {
    const steps = readSteps.all(pollKey)
    const votes = new Map(steps.map(({ poll_key }) => [poll_key, voters.find(poll_key, device)?.voted_at ?? null]))
    return [...Map.groupBy(steps, ({ campaign_id }) => campaign_id).values()].map((own) => {
      const { campaign_id, title } = own[0] as Step
      return {
        at,
        campaign_id,
        title,
        polls: own.map((step) => ({ ...step, voted_at: votes.get(step.poll_key) ?? null })),
      }
    })
  }

  function add(events: readonly OutboxRow[]): void {
    for (const { id, brand_key, type, payload, created_at } of events) {
      addEvent.run(id, brand_key, type, payload, created_at)
    }
  }

  return ({ events, tallyPolls, stepVotes, stepEvents }) => {
    add(events)
    for (const pollKey of tallyPolls) addNotice.run(pollKey)
    add(stepEvents(stepVotes.flatMap(({ ballot }, at) => stepsAt(at, ballot))))
  }
}
