import { sql } from 'kysely'
import type { Db } from '../../db/store.ts'

/** The tallies of polls and the range of their votes' positions, from one snapshot. Without deleted polls. */
export const pollHeads = (db: Db, keys: readonly number[]) =>
  db
    .selectFrom('polls')
    .leftJoin('tallies', 'tallies.poll_key', 'polls.key')
    .select((eb) => {
      const votes = eb.selectFrom('votes').whereRef('votes.poll_key', '=', 'polls.key')
      return [
        'polls.key',
        'polls.id',
        'tallies.option_a',
        'tallies.option_b',
        votes.select((of) => of.fn.min<number | null>('votes.position').as('first')).as('first'),
        votes.select((of) => of.fn.max<number | null>('votes.position').as('last')).as('last'),
      ]
    })
    .where('polls.key', 'in', keys)
    .where('polls.deleted_at', 'is', null)
    .execute()

export type PollHead = Awaited<ReturnType<typeof pollHeads>>[number]

export interface Stretch {
  readonly pollKey: number
  readonly after: number
  readonly upTo: number
}

/** Counts the votes of a range of positions; null for a deleted poll, whose votes are being removed. */
export async function countStretch(db: Db, { pollKey, after, upTo }: Stretch) {
  const { deleted_at, ...counted } = await db
    .selectFrom('votes')
    .select((eb) => [
      eb.fn.countAll<number>().as('votes'),
      sql<number>`count(case when option = 'A' then 1 end)`.as('a'),
      sql<number>`coalesce(cast(sum(position - ${after}) as bigint), 0)`.as('places'),
      eb.selectFrom('polls').select('polls.deleted_at').where('polls.key', '=', pollKey).as('deleted_at'),
    ])
    .where('poll_key', '=', pollKey)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .executeTakeFirstOrThrow()
  return deleted_at === null ? counted : null
}

export const pollKeysAfter = async (db: Db, key: number, limit: number): Promise<number[]> => {
  const rows = await db.selectFrom('polls').select('key').where('key', '>', key).orderBy('key').limit(limit).execute()
  return rows.map((row) => row.key)
}
