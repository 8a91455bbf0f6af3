import { notFound } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { findOwnedPoll, type PollRow } from './queries.ts'

export async function lockOwnedPoll(
  { engine }: Pick<Deps, 'engine'>,
  tx: Tx,
  { brandKey, reference }: { brandKey: number; reference: string },
): Promise<PollRow> {
  const { key } = rowOf(await findOwnedPoll(tx, brandKey, reference))
  await engine.lockPollsWithVotes(tx, [key])
  return rowOf(await findOwnedPoll(tx, brandKey, reference))
}

export function rowOf(row: PollRow | undefined): PollRow {
  if (!row) throw notFound()
  return row
}
