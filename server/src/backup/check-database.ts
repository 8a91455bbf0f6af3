import type { Snapshot } from '../db/snapshots/snapshot.ts'

/** A database to check. */
export type Checkable = Pick<Snapshot, 'select'> & Partial<Pick<Snapshot, 'voteTables' | 'findDamage'>>

/** A poll whose votes, positions and tally do not agree. */
export interface WrongPoll {
  readonly pollId: string | null
  readonly hasTally: boolean
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

/** Counts every vote again. Call it on a snapshot: votes and tallies are written together. */
export async function checkDatabase({
  select,
  voteTables = ['votes'],
  findDamage = async () => [],
}: Checkable): Promise<DatabaseFindings> {
  const damage = await findDamage()
  const wrong = await select<WrongRow>(wrongPolls(voteTables))
  const counts: Record<string, number> = {}
  for (const table of COUNTED) {
    const [row] = await select<{ n: number }>(`select count(*) as n from ${table}`)
    counts[table] = row?.n ?? 0
  }
  return {
    counts,
    damage,
    wrongPolls: wrong.map((row) => ({
      pollId: row.id,
      hasTally: row.option_a !== null,
      tally: { optionA: row.option_a ?? 0, optionB: row.option_b ?? 0 },
      votes: { optionA: row.a ?? 0, optionB: (row.votes ?? 0) - (row.a ?? 0) },
      positions: { first: row.first, last: row.last },
    })),
  }
}

export const databaseFaults = ({ wrongPolls: wrong, damage }: DatabaseFindings): string[] => [
  ...damage.map((line) => `The database is damaged: ${line}.`),
  ...wrong.map(faultOf),
]

function faultOf({ pollId, hasTally, tally, votes, positions }: WrongPoll): string {
  const poll = `poll ${pollId ?? 'without a row'}`
  if (pollId !== null && !hasTally) return `The ${poll} has no tally.`
  if (tally.optionA !== votes.optionA || tally.optionB !== votes.optionB)
    return `The tally of ${poll} is ${tally.optionA}:${tally.optionB}, and its votes are ${votes.optionA}:${votes.optionB}.`
  return `The votes of ${poll} are at positions from ${positions.first} to ${positions.last}, with a gap or a repeat.`
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

/** Each table by itself, so that its votes are read in their order and not sorted. */
const sums = (table: string): string => `
    select poll_key, count(*) as votes, count(case when option = 'A' then 1 end) as a, min(position) as first,
      max(position) as last, cast(sum(position) as bigint) as places
    from ${table} group by poll_key`

const totals = (tables: readonly string[]): string =>
  tables.length === 1
    ? sums(tables[0] ?? '')
    : `select poll_key, sum(votes) as votes, sum(a) as a, min(first) as first, max(last) as last, sum(places) as places
       from (${tables.map(sums).join(' union all ')}) as part group by poll_key`

// The votes of a deleted poll are removed in the background. A sum of positions shows a gap beside a repeat.
const wrongPolls = (voteTables: readonly string[]): string => `
  select polls.id, option_a, option_b, votes, a, first, last
  from polls
  left join tallies on tallies.poll_key = polls.key
  full join (${totals(voteTables)}
  ) as counted on counted.poll_key = polls.key
  where polls.deleted_at is null
    and (polls.key is null or tallies.poll_key is null
      or option_a <> coalesce(a, 0) or option_b <> coalesce(votes, 0) - coalesce(a, 0)
      or (votes is not null and (first <> 1 or last <> votes or places <> votes * (votes + 1) / 2)))
  order by polls.id`
