import { sql } from 'kysely'
import { byKey, padded, paddedTo, prepared } from '../../db/prepared.ts'
import type { Db } from '../../db/store.ts'

/** The tallies of polls and the range of their votes' positions, from one snapshot. Without deleted polls. */
export async function pollHeads(db: Db, keys: readonly number[]): Promise<PollHead[]> {
  const list = padded(keys)
  const rows = await db
    .selectFrom('polls')
    // Positions are looked up for each tally, not for each poll: on Citus both are on one worker.
    .leftJoin(
      (from) =>
        from
          .selectFrom('tallies')
          .select(['tallies.poll_key', 'tallies.option_a', 'tallies.option_b'])
          .select((eb) => {
            const votes = eb.selectFrom('votes').whereRef('votes.poll_key', '=', 'tallies.poll_key')
            return [
              votes.select((of) => of.fn.min<number | null>('votes.position').as('first')).as('first'),
              votes.select((of) => of.fn.max<number | null>('votes.position').as('last')).as('last'),
            ]
          })
          .where('tallies.poll_key', 'in', list)
          .as('head'),
      (join) => join.onRef('head.poll_key', '=', 'polls.key'),
    )
    .select(['polls.key', 'polls.id', 'head.option_a', 'head.option_b', 'head.first', 'head.last'])
    .where('polls.key', 'in', list)
    .where('polls.deleted_at', 'is', null)
    .modifyEnd(prepared)
    .execute()
  return Promise.all(
    rows.map(async (row) => (row.option_a === null ? { ...row, ...(await rangeOf(db, row.key)) } : row)),
  )
}

export interface PollHead {
  readonly key: number
  readonly id: string
  /** Null if the tally is lost: then nobody can vote. */
  readonly option_a: number | null
  readonly option_b: number | null
  readonly first: number | null
  readonly last: number | null
}

const rangeOf = (db: Db, pollKey: number) =>
  db
    .selectFrom('votes')
    .select(({ fn }) => [fn.min<number | null>('position').as('first'), fn.max<number | null>('position').as('last')])
    .where('poll_key', '=', pollKey)
    .executeTakeFirstOrThrow()

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

export interface CountedStretch {
  readonly votes: number
  readonly a: number
  readonly places: number
}

const MOST_STRETCHES = 200
/** Fills a list of stretches up: no poll has this key. */
const NO_STRETCH: Stretch = { pollKey: 0, after: 0, upTo: 0 }

/** `countStretch` for many polls, at most 200 in a statement. Without deleted polls. */
export async function countStretches(db: Db, stretches: readonly Stretch[]): Promise<Map<number, CountedStretch>> {
  const counted = new Map<number, CountedStretch>()
  for (let at = 0; at < stretches.length; at += MOST_STRETCHES) {
    const list = paddedTo(stretches.slice(at, at + MOST_STRETCHES), NO_STRETCH)
    // Each poll has a part of its own: on Citus it is on one worker.
    const parts = [pollsNotDeleted(list), ...list.map(countOf)]
    const { rows } = await sql<CountedStretch & { part: 'poll' | 'votes'; key: number }>`${byKey}
      ${sql.join(parts, sql` union all `)} ${prepared}`.execute(db)
    const kept = new Set(rows.flatMap(({ part, key }) => (part === 'poll' ? [key] : [])))
    for (const { part, key, ...row } of rows) if (part === 'votes' && kept.has(key)) counted.set(key, row)
  }
  return counted
}

const pollsNotDeleted = (stretches: readonly Stretch[]) =>
  sql`select 'poll' as part, key, cast(0 as bigint) as votes, cast(0 as bigint) as a, cast(0 as bigint) as places
    from polls where key in (${sql.join(stretches.map(({ pollKey }) => pollKey))}) and deleted_at is null`

const countOf = ({ pollKey, after, upTo }: Stretch) =>
  sql`select 'votes' as part, cast(${pollKey} as bigint) as key, count(*) as votes, count(case when option = 'A' then 1 end) as a,
      coalesce(cast(sum(position - cast(${after} as bigint)) as bigint), 0) as places
    from votes where poll_key = ${pollKey} and position > ${after} and position <= ${upTo}`

export const pollKeysAfter = async (db: Db, key: number, limit: number): Promise<number[]> => {
  const rows = await db.selectFrom('polls').select('key').where('key', '>', key).orderBy('key').limit(limit).execute()
  return rows.map((row) => row.key)
}
