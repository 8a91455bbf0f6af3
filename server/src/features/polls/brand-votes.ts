import { type RawBuilder, sql } from 'kysely'
import { HOUR, QUARTER } from '../../base/clock.ts'
import type { Db, Tx } from '../../db/store.ts'

/** The width of the row that counts all votes of a brand. */
export const ALL_TIME = 0

/** Votes of one poll that are counted at once, so that requests do not wait long. */
const MOST_VOTES = 2_000

/** The tallies of these polls, for a left join: without the list Citus would read all tallies for it. */
export const talliesOf = (db: Db, pollKeys: readonly number[]) =>
  db
    .selectFrom('tallies')
    .select(['tallies.poll_key', 'tallies.option_a', 'tallies.option_b'])
    .where('tallies.poll_key', 'in', pollKeys)
    .as('tallies')

/**
 * The number of votes on a poll, in a statement that joins `talliesOf` to `polls` on the left. Positions have no gaps, so it is also
 * the position of the last vote.
 */
export const voteTotal = sql<number>`coalesce(tallies.option_a + tallies.option_b, 0)`

/** True for a poll with votes that its brand's counts do not include yet. Joined as `voteTotal` is. */
export const isUncounted = sql<boolean>`(polls.vote_total <> ${voteTotal} and polls.deleted_at is null)`

export interface NewVotes {
  readonly key: number
  /** The positions of the votes: after `vote_total`, up to and including `upto`. */
  readonly vote_total: number
  readonly upto: number
}

/** Adds votes to the counts of their brands, without a lock on the polls. The caller then moves `vote_total` to `upto`. */
export async function countNewVotes(tx: Tx, pollKeys: readonly number[]): Promise<NewVotes[]> {
  const rows = await tx
    .selectFrom('polls')
    .leftJoin(talliesOf(tx, pollKeys), (join) => join.onRef('tallies.poll_key', '=', 'polls.key'))
    .select(['polls.key', 'polls.vote_total', voteTotal.as('total')])
    .where('polls.key', 'in', pollKeys)
    .where(isUncounted)
    .execute()
  const found = rows.map(({ total, ...row }) => ({ ...row, upto: Math.min(total, row.vote_total + MOST_VOTES) }))
  if (found.length > 0) {
    const ranges = found.map(
      ({ key, vote_total, upto }) => sql`select ${sql.lit(key)} as poll_key,
      ${sql.lit(vote_total)} as counted_to, ${sql.lit(upto)} as upto`,
    )
    await addVotes(
      tx,
      // Joined to the ranges first, so that Citus sends its workers only these polls.
      sql`(select ranges.poll_key, counted_to, upto, brand_key
          from (${sql.join(ranges, sql` union all `)}) as ranges join polls on polls.key = ranges.poll_key) as polls
        join votes on votes.poll_key = polls.poll_key
          and votes.position > polls.counted_to and votes.position <= polls.upto`,
      1,
    )
  }
  return found
}

/** Takes the first votes of a deleted poll off the counts, before they are removed. The caller holds the lock of the poll. */
export const uncountVotes = (tx: Tx, pollKey: number, most: number) =>
  addVotes(
    tx,
    sql`polls join votes on votes.poll_key = polls.key and votes.position <= polls.vote_total
        and votes.position < (select min(position) from votes where poll_key = ${pollKey}) + ${sql.lit(most)}
      where polls.key = ${pollKey}`,
    -1,
  )

/** In the order of the key, so that two servers cannot lock each other out. */
const addVotes = (tx: Tx, chosen: RawBuilder<unknown>, sign: 1 | -1) =>
  sql`with fresh as materialized (
      select polls.brand_key, voted_at - voted_at % ${sql.lit(QUARTER)} as at, count(*) * ${sql.lit(sign)} as votes
      from ${chosen}
      group by 1, 2
    )
    insert into brand_vote_counts (brand_key, width, at, votes)
    select brand_key, width, case when width = ${sql.lit(ALL_TIME)} then 0 else at - at % width end, sum(votes)
    from fresh cross join (select ${sql.lit(QUARTER)} as width union all select ${sql.lit(HOUR)}
      union all select ${sql.lit(ALL_TIME)}) as widths
    where true group by 1, 2, 3 order by 1, 2, 3
    on conflict (brand_key, width, at) do update set votes = brand_vote_counts.votes + excluded.votes`.execute(tx)
