import { inBatches } from '../../base/in-batches.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../deps.ts'

const BATCH = 200
/** Longer than any upload with the ticket can take. */
const PATIENCE_MS = 3_600_000
const REMOVED = 'removed'

/** Removes expired tickets, and the files that interrupted uploads left in the store. */
export const sweepTickets = ({ engine, files }: Deps, now: number): Promise<boolean> =>
  inBatches(async () => {
    const over = await engine.db
      .selectFrom('upload_tickets')
      .select('key')
      .where('expires_at', '<=', now - PATIENCE_MS)
      .limit(BATCH)
      .execute()
    for (const { key } of over) {
      // An upload that still holds the ticket finds it gone, and does not publish the file that is removed next.
      await transaction(engine, (tx) =>
        tx.updateTable('upload_tickets').set({ held_by: REMOVED }).where('key', '=', key).execute(),
      )
      const isKept = await engine.db.selectFrom('files').select('key').where('key', '=', key).executeTakeFirst()
      if (!isKept) await files.remove(key)
      await transaction(engine, (tx) => tx.deleteFrom('upload_tickets').where('key', '=', key).execute())
    }
    return over.length === BATCH
  })
