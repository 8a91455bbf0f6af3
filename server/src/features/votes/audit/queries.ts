import { sql } from 'kysely'
import { byKey, padded, paddedTo, prepared } from '../../../db/prepared.ts'
import type { Db } from '../../../db/store.ts'

export interface AuditedPoll {
  readonly key: number
  readonly id: string
}

export const pollsAfter = (db: Db, key: number, limit: number): Promise<AuditedPoll[]> =>
  db
    .selectFrom('polls')
    .select(['key', 'id'])
    .where('key', '>', key)
    .where('deleted_at', 'is', null)
    .orderBy('key')
    .limit(limit)
    .execute()

/** Polls are deleted before their votes are removed. */
export const isDeleted = async (db: Db, key: number): Promise<boolean> =>
  (await db.selectFrom('polls').select('key').where('key', '=', key).where('deleted_at', 'is', null).execute())
    .length === 0

const firstPosition = sql<number | null>`min(position)`
const lastPosition = sql<number | null>`max(position)`

/** The tallies of polls and the range of their votes' positions, from one snapshot. */
export const tallyHeads = (db: Db, keys: readonly number[]) =>
  db
    .selectFrom('tallies')
    .select(['tallies.poll_key', 'tallies.option_a', 'tallies.option_b', 'tallies.updated_at'])
    // Looked up for each tally, not for each poll: on Citus both are on one worker.
    .select(({ selectFrom }) => {
      const votes = selectFrom('votes').whereRef('votes.poll_key', '=', 'tallies.poll_key')
      return [votes.select(firstPosition.as('first')).as('first'), votes.select(lastPosition.as('last')).as('last')]
    })
    .where('tallies.poll_key', 'in', padded(keys))
    .modifyEnd(prepared)
    .execute()

export const rangeOf = (db: Db, pollKey: number) =>
  db
    .selectFrom('votes')
    .select([firstPosition.as('first'), lastPosition.as('last')])
    .where('poll_key', '=', pollKey)
    .executeTakeFirstOrThrow()

/** Votes of a poll by their positions: `after` excluded and `upTo` included. */
export interface Stretch {
  readonly pollKey: number
  readonly after: number
  readonly upTo: number
}

/** Fills a list of stretches up: no poll has this key. */
const NO_STRETCH: Stretch = { pollKey: 0, after: 0, upTo: 0 }

/** Counts votes, one row for each poll that has some there. The polls are named twice, so that Citus asks only the parts that have one of them. */
export async function countStretches(db: Db, stretches: readonly Stretch[]) {
  const list = paddedTo(stretches, NO_STRETCH)
  const { rows } = await sql<{ key: number; votes: number; a: number; places: number }>`${byKey}
    with stretch (key, after, up_to) as (values ${sql.join(list.map(rowOf))})
    select stretch.key, count(*) as votes, count(case when option = 'A' then 1 end) as a,
      cast(sum(position) as bigint) as places
    from stretch cross join votes
    where votes.poll_key = stretch.key and position > stretch.after and position <= stretch.up_to
      and votes.poll_key in (${sql.join(list.map(({ pollKey }) => pollKey))})
    group by stretch.key ${prepared}`.execute(db)
  return rows
}

const rowOf = ({ pollKey, after, upTo }: Stretch) =>
  sql`(cast(${pollKey} as bigint), cast(${after} as bigint), cast(${upTo} as bigint))`
