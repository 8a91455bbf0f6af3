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

export interface DatabaseFindings {
  readonly counts: Readonly<Record<string, number>>
  readonly wrongPolls: readonly WrongPoll[]
  /** SQLite's messages about a damaged file. */
  readonly damage: readonly string[]
}

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
  return {
    counts: await countRows(select, VOTES_BY_ROWS),
    damage: damage.map((row) => row.quick_check).filter((line) => line !== 'ok'),
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
