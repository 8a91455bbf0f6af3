import { sql } from 'kysely'
import { inBatches } from '../../base/in-batches.ts'
import type { Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'
import { leaveAllCampaigns } from '../campaigns/members.ts'

const BATCH = 2_000
const POLLS = 1_000

/** The votes of deleted polls go a few at a time, so that nobody waits for a large poll; its counts and tally go last. */
export async function removeDeletedVotes(engine: Engine): Promise<void> {
  const dead = await engine.db
    .selectFrom('polls')
    .select('key')
    // Said with a constant, or SQLite would not know that the index `polls_deleted` holds just these.
    .where(sql<boolean>`deleted_at is not null and is_emptied = 0`)
    .limit(POLLS)
    .execute()
  await inBatches(async () => {
    const poll = dead.at(-1)
    if (poll && !(await removeSome(engine, poll.key))) dead.pop()
    return dead.length > 0
  })
}

/** False when nothing is left of the poll's votes, or they are still needed. */
function removeSome(engine: Engine, key: number): Promise<boolean> {
  return transaction(engine, async (tx) => {
    // Two servers would choose the same votes, and the later one, finding them gone, would take the poll for empty.
    await engine.lockPolls(tx, [key])
    if (!(await hasLeftCampaigns(tx, key))) return false
    // By their place: chosen by device, SQLite would read every vote of the poll to find these.
    const batch = tx.selectFrom('votes').select('position').where('poll_key', '=', key).orderBy('position').limit(BATCH)
    await tx.deleteFrom('votes').where('poll_key', '=', key).where('position', 'in', batch).execute()
    const isLeft = await tx.selectFrom('votes').select('device').where('poll_key', '=', key).limit(1).executeTakeFirst()
    if (isLeft || (await removeCounts(tx, key))) return true
    await tx.deleteFrom('tallies').where('poll_key', '=', key).execute()
    await tx.deleteFrom('tally_notices').where('poll_key', '=', key).execute()
    await tx.updateTable('polls').set({ is_emptied: 1 }).where('key', '=', key).execute()
    return false
  })
}

/** Who was a respondent by a vote on this poll alone is found by these votes: they go when its walk is done. */
async function hasLeftCampaigns(tx: Tx, pollKey: number): Promise<boolean> {
  await leaveAllCampaigns(tx, pollKey)
  const left = await tx
    .selectFrom('campaign_polls')
    .select('poll_key')
    .where('poll_key', '=', pollKey)
    .executeTakeFirst()
  return left === undefined
}

/** False when nothing is left of them. */
async function removeCounts(tx: Tx, key: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('vote_counts')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('poll_key', 'width', 'at'),
        'in',
        selectFrom('vote_counts')
          .select(['poll_key', 'width', 'at'])
          .where('poll_key', '=', key)
          .limit(BATCH)
          .$asTuple('poll_key', 'width', 'at'),
      ),
    )
    .executeTakeFirst()
  return numDeletedRows >= BATCH
}
