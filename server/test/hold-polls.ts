import type { Tx } from '../src/db/store.ts'

/** Locks polls on PostgreSQL for as long as the transaction lasts: `lockPollsWithVotes` would lose them after a while without a statement. */
export const holdPolls = (tx: Tx, keys: readonly number[]): Promise<unknown> =>
  tx.selectFrom('polls').select('key').where('key', 'in', keys).orderBy('key').forUpdate().execute()
