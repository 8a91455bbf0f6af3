import { sql } from 'kysely'
import { inBatches } from '../../base/work/jobs.ts'
import { deleteSome } from '../../db/delete-some.ts'
import type { Engine, Tx } from '../../db/store.ts'
import { transaction } from '../../db/transaction.ts'

const BATCH = 2_000
const LISTS = 100

/** Removes some uses of a deleted poll, and counts down what was used there alone. False when none are left. */
export async function removeUses(tx: Tx, pollKey: number): Promise<boolean> {
  const poll = await tx.selectFrom('polls').select('code_list_key').where('key', '=', pollKey).executeTakeFirst()
  const listKey = poll?.code_list_key ?? null
  if (listKey === null) return false
  // Before the uses are read: a vote elsewhere would take a code for used that is not any more, or the other way round.
  await tx
    .updateTable('code_lists')
    .set(({ ref }) => ({ used: ref('used') }))
    .where('key', '=', listKey)
    .execute()
  const batch = tx.selectFrom('code_uses').select('hash').where('poll_key', '=', pollKey).orderBy('hash').limit(BATCH)
  const hashes = (await batch.execute()).map(({ hash }) => hash)
  const last = hashes.at(-1)
  if (last === undefined) return false
  await tx.deleteFrom('code_uses').where('poll_key', '=', pollKey).where('hash', '<=', last).execute()
  const stillUsed = await tx
    .selectFrom('polls')
    .innerJoin('code_uses', 'code_uses.poll_key', 'polls.key')
    .select(sql<number>`count(distinct code_uses.hash)`.as('count'))
    .where('code_list_key', '=', listKey)
    .where('code_uses.hash', 'in', hashes)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('code_lists')
    .set({ used: sql`used - ${hashes.length - stillUsed.count}` })
    .where('key', '=', listKey)
    .execute()
  return true
}

/** Removes the codes of deleted lists in batches, then the list, once no buried poll refers to it any more. */
export async function removeDeletedLists(engine: Engine): Promise<boolean> {
  const dead = await engine.db
    .selectFrom('code_lists')
    .select('key')
    .where('deleted_at', 'is not', null)
    .limit(LISTS)
    .execute()
  return inBatches(async () => {
    const list = dead.at(-1)
    if (list && !(await removeSome(engine, list.key))) dead.pop()
    return dead.length > 0
  })
}

/** False when nothing can be removed now. */
function removeSome(engine: Engine, listKey: number): Promise<boolean> {
  return transaction(engine, async (tx) => {
    // On two servers the second would find no codes that it can delete, and take the list for empty.
    await tx.selectFrom('code_lists').select('key').where('key', '=', listKey).modifyEnd(engine.forUpdate).execute()
    const where = sql<boolean>`list_key = ${listKey}`
    if ((await deleteSome(tx, 'codes', { keys: ['hash'], where, most: BATCH })) > 0) return true
    await tx
      .deleteFrom('code_lists')
      .where('key', '=', listKey)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('polls').select('key').where('code_list_key', '=', listKey))),
      )
      .execute()
    return false
  })
}
