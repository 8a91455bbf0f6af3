import type { Database } from 'bun:sqlite'
import type { OutboxRow, Raised, StepRow } from '../vote-store.ts'
import type { VoteDevices } from './vote-devices.ts'

/** Writes the events and notices of a group's votes in the group's transaction, after the votes. */
export function createEventWriter(file: Database, devices: VoteDevices): (raised: Raised) => void {
  const addEvent = file.query('insert into outbox (id, brand_key, type, payload, created_at) values (?, ?, ?, ?, ?)')
  const addNotice = file.query(
    'insert into tally_notices (poll_key, is_due) values (?, 1) on conflict (poll_key) do update set is_due = 1',
  )
  const readSteps = file.query<StepRow, [number, Uint8Array, number]>(
    `select ? as at, campaigns.id as campaign_id, campaigns.title, count(*) as total,
       count((select 1 from temp.device_votes as own where own.poll_key = steps.poll_key and own.device = +?)) as done
     from campaign_polls as voted
     join campaigns on campaigns.key = voted.campaign_key and campaigns.state = 'published' and campaigns.deleted_at is null
     join campaign_polls as steps on steps.campaign_key = campaigns.key and steps.place is not null
     join polls on polls.key = steps.poll_key and is_draft = 0 and archived_at is null and polls.deleted_at is null
     where voted.poll_key = +? and voted.place is not null
     group by campaigns.key`,
  )

  function add(events: readonly OutboxRow[]): void {
    for (const { id, brand_key, type, payload, created_at } of events) {
      addEvent.run(id, brand_key, type, payload, created_at)
    }
  }

  return ({ events, tallyPolls, stepVotes, stepEvents }) => {
    add(events)
    for (const pollKey of tallyPolls) addNotice.run(pollKey)
    if (stepVotes.length > 0) devices.follow()
    add(stepEvents(stepVotes.flatMap(({ ballot }, at) => readSteps.all(at, ballot.device, ballot.pollKey))))
  }
}
