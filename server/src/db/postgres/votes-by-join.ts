import { sql } from 'kysely'
import { byKey } from '../prepared.ts'
import type { AskedVotes, Db, FoundVote } from '../store.ts'

/**
 * A join, because Citus takes no subquery on votes that depends on other rows. Planned by key, and with the pairs of poll and
 * device made first, or PostgreSQL would read all votes of the polls while its statistics say that there are few.
 */
export async function votesByJoin(of: Db, { pollKeys, devices }: AskedVotes): Promise<FoundVote[]> {
  if (pollKeys.length === 0 || devices.length === 0) return []
  const { rows } = await sql<FoundVote>`${byKey}
    with asked as materialized (
      select poll_key, device from unnest(${pollKeys}::bigint[]) as poll (poll_key)
      cross join unnest(${devices.map((device) => Buffer.from(device))}::bytea[]) as guest (device)
    )
    select own.poll_key, own.device, own.option, own.voted_at, own.position, forgotten_at
    from asked
    join votes as own on own.poll_key = asked.poll_key and own.device = asked.device
    left join forgotten_devices on forgotten_devices.device = own.device`.execute(of)
  return rows
}
