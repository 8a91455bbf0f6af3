import type { Db } from '../../db/store.ts'

export const findVote = (db: Db, pollKey: number, device: Uint8Array) =>
  db
    .selectFrom('device_votes')
    .select(['option', 'voted_at'])
    .where('poll_key', '=', pollKey)
    .where('device', '=', device)
    .executeTakeFirst()

/** The keys of the polls, among these, that the device voted on. */
export async function pollsVotedOn(
  db: Db,
  { device, pollKeys }: { device: Uint8Array; pollKeys: readonly number[] },
): Promise<ReadonlySet<number>> {
  if (pollKeys.length === 0) return new Set()
  const rows = await db
    .selectFrom('device_votes')
    .select('poll_key')
    .where('poll_key', 'in', pollKeys)
    .where('device', '=', device)
    .execute()
  return new Set(rows.map(({ poll_key }) => poll_key))
}
