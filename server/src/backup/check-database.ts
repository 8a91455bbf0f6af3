import { HOUR, QUARTER } from '../base/clock.ts'
import type { EngineName } from '../db/dialect.ts'
import type { Dump } from '../db/dump.ts'

type Select = Dump['select']

/** A poll whose votes, positions and tally do not agree. */
export interface WrongPoll {
  readonly pollId: string | null
  readonly tally: { readonly optionA: number; readonly optionB: number }
  readonly votes: { readonly optionA: number; readonly optionB: number }
  readonly positions: { readonly first: number | null; readonly last: number | null }
}

/** A brand whose counts and votes do not agree. Votes that are yet to be counted are in neither. */
export interface WrongBrand {
  readonly brandId: string
  readonly counted: { readonly total: number; readonly byHour: number; readonly byQuarter: number }
  readonly votes: number
}

export interface DatabaseFindings {
  readonly counts: Readonly<Record<string, number>>
  readonly wrongPolls: readonly WrongPoll[]
  readonly wrongBrands: readonly WrongBrand[]
  /** SQLite's messages about a damaged file. */
  readonly damage: readonly string[]
}

/** The width of the row that counts all votes of a brand. */
const ALL = 0

const COUNTED = ['brands', 'polls', 'votes', 'campaigns', 'files', 'webhooks', 'apps'] as const

/**
 * The numbers of rows, for the manifest. Votes are counted by their tallies: to read every vote before a backup begins takes as
 * long as the backup, and slows the votes meanwhile.
 */
export const countByTallies = (select: Select): Promise<Record<string, number>> => countRows(select, VOTES_BY_TALLIES)

async function countRows(select: Select, votes: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of COUNTED) {
    const [row] = await select<{ n: number }>(table === 'votes' ? votes : `select count(*) as n from ${table}`)
    counts[table] = row?.n ?? 0
  }
  return counts
}

// Votes of a deleted poll are removed in steps, which its tally does not follow: they are counted, and only they are read.
const VOTES_BY_TALLIES = `
  select cast(coalesce(live.n, 0) + buried.n as bigint) as n
  from (
    select sum(option_a + option_b) as n from polls join tallies on tallies.poll_key = polls.key where deleted_at is null
  ) as live
  cross join (
    select count(*) as n from votes where poll_key in (select key from polls where deleted_at is not null and is_emptied = 0)
  ) as buried`
const VOTES_BY_ROWS = 'select count(*) as n from votes'

/** Counts every vote again. Call it on a snapshot: votes and tallies are written together. */
export async function checkDatabase(select: Select, engine: EngineName): Promise<DatabaseFindings> {
  const damage = engine === 'sqlite' ? await select<{ quick_check: string }>('pragma quick_check(10)') : []
  const wrong = await select<WrongRow>(WRONG_POLLS)
  const [current] = await select<{ n: number }>(HAS_BRAND_COUNTS)
  const brands = current?.n === 1 ? await select<WrongBrandRow>(WRONG_BRANDS) : []
  return {
    counts: await countRows(select, VOTES_BY_ROWS),
    damage: damage.map((row) => row.quick_check).filter((line) => line !== 'ok'),
    wrongBrands: brands.map(({ id, total, hours, quarters, votes }) => ({
      brandId: id,
      counted: { total, byHour: hours, byQuarter: quarters },
      votes,
    })),
    wrongPolls: wrong.map((row) => ({
      pollId: row.id,
      tally: { optionA: row.option_a ?? 0, optionB: row.option_b ?? 0 },
      votes: { optionA: row.a ?? 0, optionB: (row.votes ?? 0) - (row.a ?? 0) },
      positions: { first: row.first, last: row.last },
    })),
  }
}

interface WrongRow {
  readonly id: string | null
  readonly option_a: number | null
  readonly option_b: number | null
  readonly votes: number | null
  readonly a: number | null
  readonly first: number | null
  readonly last: number | null
}

// The votes of a deleted poll are removed in the background. A sum of positions shows a gap beside a repeat.
const WRONG_POLLS = `
  select polls.id, option_a, option_b, votes, a, first, last
  from polls
  left join tallies on tallies.poll_key = polls.key
  full join (
    select poll_key, count(*) as votes, count(case when option = 'A' then 1 end) as a, min(position) as first,
      max(position) as last, cast(sum(position) as bigint) as places
    from votes group by poll_key
  ) as counted on counted.poll_key = polls.key
  where polls.deleted_at is null
    and (polls.key is null or tallies.poll_key is null
      or option_a <> coalesce(a, 0) or option_b <> coalesce(votes, 0) - coalesce(a, 0)
      or (votes is not null and (first <> 1 or last <> votes or places <> votes * (votes + 1) / 2)))
  order by polls.id`

interface WrongBrandRow {
  readonly id: string
  readonly total: number
  readonly hours: number
  readonly quarters: number
  readonly votes: number
}

/** A backup of an older version has no counts, or none that say which brands are deleted. */
const HAS_BRAND_COUNTS = `select count(*) as n from migrations where name like '0014-%'`

// A brand counts the votes up to `vote_total` of each poll, in the transaction that moves it, and those of a deleted poll
// until they are removed. So the numbers agree at any moment, though they follow votes by seconds.
const WRONG_BRANDS = `
  select brands.id, cast(coalesce(total, 0) as bigint) as total, cast(coalesce(hours, 0) as bigint) as hours,
    cast(coalesce(quarters, 0) as bigint) as quarters, cast(coalesce(own.votes, 0) as bigint) as votes
  from brands
  left join (
    select brand_key, sum(case when width = ${ALL} then votes end) as total,
      sum(case when width = ${HOUR} then votes end) as hours, sum(case when width = ${QUARTER} then votes end) as quarters
    from brand_vote_counts group by brand_key
  ) as counted on counted.brand_key = brands.key
  left join (
    select brand_key, sum(votes) as votes
    from (
      select brand_key, vote_total as votes from polls where deleted_at is null
      union all
      select brand_key, count(*) as votes from polls join votes on votes.poll_key = polls.key and position <= vote_total
      where deleted_at is not null and is_emptied = 0
      group by polls.key, brand_key
    ) as of_polls
    group by brand_key
  ) as own on own.brand_key = brands.key
  where brands.deleted_at is null
    and (coalesce(total, 0) <> coalesce(own.votes, 0) or coalesce(hours, 0) <> coalesce(own.votes, 0)
      or coalesce(quarters, 0) <> coalesce(own.votes, 0))
  order by brands.id`
