import { inBatches } from '../../base/in-batches.ts'
import type { Engine } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'

const BATCH = 2_000
const POLLS = 1_000

/** The votes of deleted polls go a few at a time, so that nobody waits for a large poll; its tally goes last. */
export async function removeDeletedVotes(engine: Engine): Promise<void> {
  const dead = await engine.db
    .selectFrom('polls')
    .innerJoin('tallies', 'tallies.poll_key', 'polls.key')
    .select('polls.key')
    .where('polls.deleted_at', 'is not', null)
    .limit(POLLS)
    .execute()
  await inBatches(async () => {
    const poll = dead.at(-1)
    if (poll && !(await removeSome(engine, poll.key))) dead.pop()
    return dead.length > 0
  })
}

/** False when nothing is left of the poll's votes. */
function removeSome(engine: Engine, key: number): Promise<boolean> {
  return transaction(engine, async (tx) => {
    // Two servers would choose the same votes, and the later one, finding them gone, would take the poll for empty.
    await engine.lockPolls(tx, [key])
    const batch = tx.selectFrom('votes').select('device').where('poll_key', '=', key).limit(BATCH)
    await tx.deleteFrom('votes').where('poll_key', '=', key).where('device', 'in', batch).execute()
    const isLeft = await tx.selectFrom('votes').select('device').where('poll_key', '=', key).limit(1).executeTakeFirst()
    if (!isLeft) await tx.deleteFrom('tallies').where('poll_key', '=', key).execute()
    return isLeft !== undefined
  })
}
