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
const NO_VOTES: CountedStretch = { votes: 0, a: 0, places: 0 }
/** Fills a list of stretches up: no poll has this key. */
const NO_STRETCH: Stretch = { pollKey: 0, after: 0, upTo: 0 }

/** `countStretch` for many polls, at most 200 in a statement. Without deleted polls. */
export async function countStretches(db: Db, stretches: readonly Stretch[]): Promise<Map<number, CountedStretch>> {
  const counted = new Map<number, CountedStretch>()
  for (let at = 0; at < stretches.length; at += MOST_STRETCHES) {
    const list = paddedTo(stretches.slice(at, at + MOST_STRETCHES), NO_STRETCH)
    const { rows } = await sql<CountedStretch & { part: 'poll' | 'votes'; key: number }>`${byKey}
      with stretch (key, after, up_to) as (values ${sql.join(list.map(rowOf))})
      ${pollsNotDeleted(list)} union all ${countsOf(list)} ${prepared}`.execute(db)
    const found = new Map(rows.flatMap(({ part, key, ...row }) => (part === 'votes' ? [[key, row]] : [])))
    for (const { part, key } of rows) if (part === 'poll') counted.set(key, found.get(key) ?? NO_VOTES)
  }
  return counted
}

const pollsNotDeleted = (stretches: readonly Stretch[]) =>
  sql`select 'poll' as part, key, cast(0 as bigint) as votes, cast(0 as bigint) as a, cast(0 as bigint) as places
    from polls where key in (${keysOf(stretches)}) and deleted_at is null`

/** The polls are named twice, so that Citus asks only the parts that have one of them. */
const countsOf = (stretches: readonly Stretch[]) =>
  sql`select 'votes' as part, stretch.key, count(*) as votes, count(case when option = 'A' then 1 end) as a,
      cast(sum(position - stretch.after) as bigint) as places
    from stretch cross join votes
    where votes.poll_key = stretch.key and position > stretch.after and position <= stretch.up_to
      and votes.poll_key in (${keysOf(stretches)})
    group by stretch.key`

const keysOf = (stretches: readonly Stretch[]) => sql.join(stretches.map(({ pollKey }) => pollKey))

const rowOf = ({ pollKey, after, upTo }: Stretch) =>
  sql`(cast(${pollKey} as bigint), cast(${after} as bigint), cast(${upTo} as bigint))`

export const pollKeysAfter = async (db: Db, key: number, limit: number): Promise<number[]> => {
  const rows = await db.selectFrom('polls').select('key').where('key', '>', key).orderBy('key').limit(limit).execute()
  return rows.map((row) => row.key)
}
