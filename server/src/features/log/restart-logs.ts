import type { Engine, Tx } from '../../db/store.ts'
import { isLive } from './queries.ts'

/** Beside servers, call it before `restartLogs`: the job that extends logs locks the polls before them. */
export const holdLogged = ({ forUpdate }: Pick<Engine, 'forUpdate'>, tx: Tx) =>
  tx.selectFrom('polls').select('key').where('logged_votes', '>=', 0).orderBy('key').modifyEnd(forUpdate).execute()

/**
 * Ends the live logs, whose checkpoints may name votes that the database has lost. The job begins new ones, under new origins; they tell
 * the last size of the earlier. Returns how many ended.
 */
export async function restartLogs(tx: Tx, now: number): Promise<number> {
  await tx.deleteFrom('poll_log_tiles').execute()
  const { numUpdatedRows } = await tx.updateTable('poll_logs').set({ ended_at: now }).where(isLive).executeTakeFirst()
  await tx.updateTable('polls').set({ logged_votes: -1 }).where('logged_votes', '>=', 0).execute()
  return Number(numUpdatedRows)
}
