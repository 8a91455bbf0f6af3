import type { Snapshot } from '../db/snapshots/snapshot.ts'
import { expectedFiles, FILE_FACTS, type FileFacts } from '../files/file-keys.ts'
import type { FileStore } from '../files/file-store.ts'

/** A database to check. */
type Checkable = Pick<Snapshot, 'select'> & Partial<Pick<Snapshot, 'voteTables' | 'findDamage'>>

/** A poll whose votes, positions and tally do not agree. */
interface WrongPoll {
  readonly pollId: string | null
  readonly hasTally: boolean
  readonly tally: { readonly optionA: number; readonly optionB: number }
  readonly votes: { readonly optionA: number; readonly optionB: number }
  readonly positions: { readonly first: number | null; readonly last: number | null }
}

interface WrongUses {
  readonly pollId: string | null
  readonly votes: number
  readonly uses: number
  readonly unknown: number
}

export interface DatabaseFindings {
  readonly counts: Readonly<Record<string, number>>
  readonly wrongPolls: readonly WrongPoll[]
  /** The ids of polls whose votes by source, campaign and order of options are not those counted. */
  readonly wrongSources: readonly (string | null)[]
  /** Polls whose uses of codes are not as many as their votes, or are not codes of their list. */
  readonly wrongUses: readonly WrongUses[]
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
  const wrongSources = await select<{ id: string | null }>(wronglyAttributed(voteTables))
  const wrongUses = await select<WrongUses>(WRONG_USES)
  const counts: Record<string, number> = {}
  for (const table of COUNTED) {
    const [row] = await select<{ n: number }>(`select count(*) as n from ${table}`)
    counts[table] = row?.n ?? 0
  }
  return {
    counts,
    damage,
    wrongSources: wrongSources.map(({ id }) => id),
    wrongUses: wrongUses.map(({ pollId, votes, uses, unknown }) => ({ pollId, votes, uses, unknown })),
    wrongPolls: wrong.map((row) => ({
      pollId: row.id,
      hasTally: row.option_a !== null,
      tally: { optionA: row.option_a ?? 0, optionB: row.option_b ?? 0 },
      votes: { optionA: row.a ?? 0, optionB: (row.votes ?? 0) - (row.a ?? 0) },
      positions: { first: row.first, last: row.last },
    })),
  }
}

export const databaseFaults = ({ wrongPolls: wrong, wrongSources, wrongUses, damage }: DatabaseFindings): string[] => [
  ...damage.map((line) => `The database is damaged: ${line}.`),
  ...wrong.map(faultOf),
  ...wrongSources.map(
    (id) => `The counts of ${nameOf(id)} by source, campaign and order of options are not those of its votes.`,
  ),
  ...wrongUses.map(({ pollId, votes, uses, unknown }) =>
    unknown > 0
      ? `On the poll ${pollId ?? 'without a list'}, ${unknown} codes voted that were never issued.`
      : `The poll ${pollId ?? 'without a list'} has ${votes} votes by code, and ${uses} codes that were used.`,
  ),
]

const nameOf = (pollId: string | null): string => `poll ${pollId ?? 'without a row'}`

function faultOf({ pollId, hasTally, tally, votes, positions }: WrongPoll): string {
  const poll = nameOf(pollId)
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

/** Each vote on a poll with a list has a use of a code of that list, and no other poll has uses. */
const WRONG_USES = `
  select polls.id as "pollId", coalesce(option_a + option_b, 0) as votes, coalesce(used.uses, 0) as uses,
    coalesce(used.unknown, 0) as unknown
  from (select key, id, code_list_key from polls where deleted_at is null and code_list_key is not null) as polls
  left join tallies on tallies.poll_key = polls.key
  full join (
    select code_uses.poll_key, count(*) as uses, count(case when codes.hash is null then 1 end) as unknown
    from code_uses left join polls on polls.key = code_uses.poll_key
    left join codes on codes.list_key = polls.code_list_key and codes.hash = code_uses.hash
    where polls.deleted_at is null
    group by code_uses.poll_key
  ) as used on used.poll_key = polls.key
  where polls.key is null or used.unknown > 0 or coalesce(used.uses, 0) <> coalesce(option_a + option_b, 0)
  order by polls.id`

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

/** Votes with an attribution: most have none. */
const attributed = (table: string): string => `
    select poll_key, coalesce(source_key, 0) as source_key, coalesce(campaign_key, 0) as campaign_key, coalesce(shown, '') as shown,
      case when option = 'A' then 1 else 0 end as a
    from ${table} where source_key is not null or campaign_key is not null or shown is not null`

const KEYS = 'poll_key, source_key, campaign_key, shown'

// Both counts in one list: equal ones add up to nothing.
const wronglyAttributed = (voteTables: readonly string[]): string => `
  select distinct polls.id
  from (
    select ${KEYS}, sum(a) as a, sum(votes) as votes from (
      select ${KEYS}, a, 1 as votes from (${voteTables.map(attributed).join(' union all ')}) as cast_votes
      union all
      select ${KEYS}, -option_a, -option_a - option_b from attributed_counts
    ) as each group by ${KEYS}
  ) as difference
  left join polls on polls.key = difference.poll_key
  where polls.deleted_at is null and (a <> 0 or votes <> 0)
  order by polls.id`

const AT_ONCE = 8

/** Looks for every file that the database names. */
export async function checkFiles(select: Snapshot['select'], store: Pick<FileStore, 'sizeOf'>) {
  const expected = (await select<FileFacts>(FILE_FACTS)).flatMap(expectedFiles)
  const missing: string[] = []
  const wrongSize: string[] = []
  for (let at = 0; at < expected.length; at += AT_ONCE) {
    const looks = expected.slice(at, at + AT_ONCE).map(async ({ key, bytes }) => {
      const size = await store.sizeOf(key)
      if (size === null) missing.push(key)
      else if (size === 0 || (bytes !== null && size !== bytes)) wrongSize.push(key)
    })
    await Promise.all(looks)
  }
  return { files: expected.length, missing: missing.sort(), wrongSize: wrongSize.sort() }
}
