import { MINUTE } from '../../../base/clock.ts'
import type { AppRow } from '../../../db/tables.ts'
import { relaxedTransaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'

/** Stores that an app is in use, at most once a minute. The request goes on even if that fails. */
export async function noteUse(
  { engine, clock, log }: Pick<Deps, 'engine' | 'clock' | 'log'>,
  { key, last_used_at: before }: Pick<AppRow, 'key' | 'last_used_at'>,
): Promise<void> {
  const now = clock.now()
  if (before !== null && before > now - MINUTE) return
  try {
    await relaxedTransaction(engine, (tx) =>
      tx
        .updateTable('apps')
        .set({ last_used_at: now })
        .where('key', '=', key)
        .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<=', now - MINUTE)]))
        .execute(),
    )
  } catch (error) {
    log.warn({ err: error }, 'cannot store when an app was last used')
  }
}
