import { HOUR } from '../../../base/clock.ts'
import type { Db } from '../../../db/store.ts'
import type { TimeSpan } from '../buckets.ts'
import type { Hour } from './assess.ts'

export const watchedHours = (db: Db, pollKey: number, { from, to }: TimeSpan): Promise<Hour[]> =>
  db
    .selectFrom('vote_integrity')
    .selectAll()
    .where('poll_key', '=', pollKey)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .execute()

/** All votes by hour, also those that were not watched. */
export async function votesByHour(
  db: Db,
  pollKey: number,
  { from, to }: TimeSpan,
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('vote_counts')
    .select(['at', 'option_a', 'option_b'])
    .where('poll_key', '=', pollKey)
    .where('width', '=', HOUR)
    .where('at', '>=', from)
    .where('at', '<', to)
    .execute()
  return new Map(rows.map(({ at, option_a, option_b }) => [at, option_a + option_b]))
}
