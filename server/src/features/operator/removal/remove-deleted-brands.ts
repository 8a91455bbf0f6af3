import { sql } from 'kysely'
import { MINUTE } from '../../../base/clock.ts'
import { inBatches } from '../../../base/work/jobs.ts'
import { transaction } from '../../../db/transaction.ts'
import type { WriteDeps } from '../../deps.ts'
import { endBrand } from './delete-brand.ts'
import { paced } from './paced.ts'
import { holdDeletedBrand, removeFromBrand, removeRows } from './remove-from-brand.ts'

const BRANDS = 20
/** Longer than any request: what it adds to a brand that was deleted meanwhile is removed too. */
const LATEST = 2 * MINUTE

/** Goes on where the command that deleted a brand ended or was killed. The counts go last: votes are subtracted from them. */
export async function removeDeletedBrands(deps: WriteDeps): Promise<boolean> {
  const deleted = await deps.engine.db
    .selectFrom('brands')
    .select(['key', 'deleted_at'])
    .where(sql<boolean>`deleted_at is not null and is_emptied = 0`)
    .orderBy('key')
    .limit(BRANDS)
    .execute()
  if (deleted.length === 0) return false
  const now = await deps.engine.votingTime(deps.engine.db)
  return inBatches(async () => {
    const brand = deleted.at(-1)
    if (!brand) return false
    if (await removeFromBrand(deps, brand.key)) return true
    const isOld = (brand.deleted_at ?? now) <= now - LATEST
    if (!isOld || !(await paced(() => finish(deps, brand.key)))) deleted.pop()
    return deleted.length > 0
  })
}

/** False when it has to wait for votes that are still being removed, or all is done. */
const finish = (deps: WriteDeps, brandKey: number): Promise<boolean> =>
  transaction(deps.engine, async (tx) => {
    if (!(await holdDeletedBrand(tx, brandKey))) return false
    await endBrand(deps, tx, brandKey)
    const withVotes = await tx
      .selectFrom('polls')
      .select('key')
      .where(sql<boolean>`deleted_at is not null and is_emptied = 0`)
      .where('brand_key', '=', brandKey)
      .limit(1)
      .executeTakeFirst()
    if (withVotes) return false
    const counts = { table: 'brand_vote_counts', keys: ['brand_key', 'width', 'at'] } as const
    if ((await removeRows(tx, brandKey, counts)) > 0) return true
    await tx.updateTable('brands').set({ is_emptied: 1 }).where('key', '=', brandKey).execute()
    return false
  })
