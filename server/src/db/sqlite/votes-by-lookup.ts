import { sql } from 'kysely'
import type { AskedVotes, Db, FoundVote } from '../store.ts'
import type { OptionName } from '../tables.ts'

interface LookedUp {
  readonly poll_key: number
  readonly device: Uint8Array
  readonly vote: string | null
  readonly forgotten_at: number | null
}

/** Each vote is looked up by its key: in a join, or with two `in` lists, SQLite would read every vote of every poll. */
export async function votesByLookup(of: Db, { pollKeys, devices }: AskedVotes): Promise<FoundVote[]> {
  if (pollKeys.length === 0 || devices.length === 0) return []
  // Lists as one parameter each: a text of its own for each number of devices would be compiled each time.
  const polls = JSON.stringify(pollKeys)
  const guests = JSON.stringify(devices.map((device) => Buffer.from(device).toString('hex')))
  const { rows } = await sql<LookedUp>`
    with polls_asked (poll_key) as materialized (select value from json_each(${polls})),
      guests (device) as materialized (select unhex(value) from json_each(${guests})),
      guests_asked (device, forgotten_at) as materialized (
        select device, (select forgotten_at from forgotten_devices where forgotten_devices.device = guests.device) from guests)
    select poll_key, device, forgotten_at, (
      select option || position || ' ' || voted_at from device_votes as own
      where own.poll_key = polls_asked.poll_key and own.device = guests_asked.device) as vote
    from polls_asked cross join guests_asked`.execute(of)
  return rows.flatMap(({ vote, ...row }) => (vote === null ? [] : [{ ...row, ...votePartsOf(vote) }]))
}

/** The subquery returns all parts of a vote as one text, so that the vote is looked up once. */
function votePartsOf(vote: string): Pick<FoundVote, 'option' | 'position' | 'voted_at'> {
  const [position, votedAt] = vote.slice(1).split(' ')
  return { option: vote.slice(0, 1) as OptionName, position: Number(position), voted_at: Number(votedAt) }
}
