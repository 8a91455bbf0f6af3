import { invalidAccessToken } from '../../../base/errors.ts'
import type { Tx } from '../../../db/store.ts'

/**
 * Locks the brand's row until the transaction ends, and returns it. A request that was admitted before the brand was deleted is
 * refused as it would be now: what it wrote would stay on the tombstone.
 */
export const lockBrand = (tx: Tx, brandKey: number, refusal: () => Error = invalidAccessToken) =>
  tx
    .updateTable('brands')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow(() => refusal())
