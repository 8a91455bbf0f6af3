import type { Engine } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'

const BATCH = 2_000

/** The votes of deleted polls go a few at a time, so that nobody waits for a large poll; its tally goes last. */
export async function removeDeletedVotes(engine: Engine): Promise<void> {
  const dead = await engine.db
    .selectFrom('polls')
    .innerJoin('tallies', 'tallies.poll_key', 'polls.key')
    .select('polls.key')
    .where('polls.deleted_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  if (!dead) return
  await transaction(engine, async (tx) => {
    // Two servers would choose the same votes, and the later one, finding them gone, would take the poll for empty.
    await engine.lockPolls(tx, [dead.key])
    const batch = tx.selectFrom('votes').select('device').where('poll_key', '=', dead.key).limit(BATCH)
    await tx.deleteFrom('votes').where('poll_key', '=', dead.key).where('device', 'in', batch).execute()
    if (!(await batch.limit(1).executeTakeFirst()))
      await tx.deleteFrom('tallies').where('poll_key', '=', dead.key).execute()
  })
}
