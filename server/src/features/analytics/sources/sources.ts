import { sql } from 'kysely'
import { z } from 'zod'
import { shareInterval } from '../../../../../embed/src/insight/intervals.ts'
import { HOUR } from '../../../base/clock.ts'
import { invalidField } from '../../../base/errors.ts'
import { count } from '../../../base/fields.ts'
import { padded } from '../../../db/prepared.ts'
import type { Db } from '../../../db/store.ts'
import { share } from '../../../events/resources/insight.ts'
import { OTHER_SOURCE } from '../../../events/resources/source-name.ts'
import type { TimeSpan } from '../buckets.ts'
import { moment } from '../schema.ts'

export const sourcesQuery = z.object({
  from: moment.optional().meta({
    description: 'The start of the span, rounded down to the hour (UTC).',
    examples: ['2026-01-31T00:00:00.000Z'],
  }),
  to: moment.optional().meta({
    description: 'The end of the span, exclusive, rounded up to the hour (UTC). Default: now.',
    examples: ['2026-02-01T00:00:00.000Z'],
  }),
})

export const source = z
  .object({
    source: z.string().meta({
      description:
        'The name of the source, or `other`: every source that is not declared, none at all, and those with fewer than ten votes.',
      examples: ['newsletter'],
    }),
    views: count.meta({ description: 'How often a poll was seen. Approximate.', examples: [480] }),
    votes: count.meta({ description: 'All votes from there.', examples: [61] }),
    optionA: count.meta({ description: 'Votes for option A.', examples: [40] }),
    optionB: count.meta({ description: 'Votes for option B.', examples: [21] }),
    shareA: share('The share of option A, or null without votes.', 0.656),
    low: share('The lower end of its Wilson interval at 95 %, or null without votes.', 0.53),
    high: share('The upper end of its Wilson interval at 95 %, or null without votes.', 0.763),
  })
  .meta({ id: 'SourceCounts', description: 'The views and votes from one source.' })

/** Fewer votes could show how one person voted. */
export const LEAST_VOTES = 10

export type SourceRow = z.infer<typeof source>

interface Counted {
  views: number
  optionA: number
  optionB: number
}

/** By the key of the source; 0 is every other one. */
type Sums = Map<number, Counted>

const sumAt = (sums: Sums, key: number): Counted => {
  const sum = sums.get(key) ?? { views: 0, optionA: 0, optionB: 0 }
  sums.set(key, sum)
  return sum
}

/** Whole hours, because both votes and views are counted by hour. */
export function hoursOf(
  { from = 0, to }: { from?: number | undefined; to?: number | undefined },
  now: number,
): TimeSpan {
  const end = Math.ceil((to ?? now + 1) / HOUR) * HOUR
  if (from >= end) throw invalidField('from', 'not_before_to', 'Must be before `to`, which is now by default.')
  return { from: from - (((from % HOUR) + HOUR) % HOUR), to: end }
}

interface SourcesAsked {
  readonly brandKey: number
  readonly span: TimeSpan
  /** Counts only what came with this campaign. */
  readonly campaignKey?: number
}

/** Votes and views of polls by source, most votes first, and last those of no source or of one with few votes. */
export async function sourcesOf(
  db: Db,
  pages: AsyncIterable<readonly number[]> | Iterable<readonly number[]>,
  { brandKey, span, campaignKey }: SourcesAsked,
): Promise<SourceRow[]> {
  const sums: Sums = new Map()
  for await (const pollKeys of pages) if (pollKeys.length > 0) await addSums(db, sums, { pollKeys, span, campaignKey })
  return presented(sums, await namesOf(db, brandKey))
}

/** Sources of what the pages and elements of a campaign sent. */
export async function sourcesOfCampaign(
  db: Db,
  campaignKey: number,
  asked: Pick<SourcesAsked, 'brandKey' | 'span'>,
): Promise<SourceRow[]> {
  const steps = await db
    .selectFrom('campaign_polls')
    .select('poll_key')
    .where('campaign_key', '=', campaignKey)
    .execute()
  return sourcesOf(db, [steps.map(({ poll_key }) => poll_key)], { ...asked, campaignKey })
}

async function addSums(
  db: Db,
  sums: Sums,
  { pollKeys, span, campaignKey }: { pollKeys: readonly number[]; span: TimeSpan; campaignKey: number | undefined },
): Promise<void> {
  const within = <Table extends 'attributed_counts' | 'view_counts'>(table: Table) =>
    sql<boolean>`${sql.table(table)}.poll_key in (${sql.join(padded(pollKeys))})
      and ${sql.table(table)}.at >= ${span.from} and ${sql.table(table)}.at < ${span.to}
      ${campaignKey === undefined ? sql`` : sql`and ${sql.table(table)}.campaign_key = ${campaignKey}`}`
  const voted = await db
    .selectFrom('attributed_counts')
    .select(['source_key', sumOf('option_a').as('a'), sumOf('option_b').as('b')])
    .where(within('attributed_counts'))
    .groupBy('source_key')
    .execute()
  const viewed = await db
    .selectFrom('view_counts')
    .select(['source_key', sumOf('views').as('views')])
    .where(within('view_counts'))
    .groupBy('source_key')
    .execute()
  for (const { source_key, views } of viewed) sumAt(sums, source_key).views += views
  const other = sumAt(sums, 0)
  for (const { source_key, a, b } of voted) {
    const sum = sumAt(sums, source_key)
    sum.optionA += a
    sum.optionB += b
  }
  if (campaignKey !== undefined) return
  // Votes without any attribution are in no row: they are what remains of all votes.
  const all = await allVotes(db, pollKeys, span)
  other.optionA += all.a - voted.reduce((sum, { a }) => sum + a, 0)
  other.optionB += all.b - voted.reduce((sum, { b }) => sum + b, 0)
}

const sumOf = (column: 'option_a' | 'option_b' | 'views') =>
  sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`

const allVotes = (db: Db, pollKeys: readonly number[], { from, to }: TimeSpan) =>
  db
    .selectFrom('vote_counts')
    .select([sumOf('option_a').as('a'), sumOf('option_b').as('b')])
    .where('poll_key', 'in', padded(pollKeys))
    .where('width', '=', HOUR)
    .where('at', '>=', from)
    .where('at', '<', to)
    .executeTakeFirstOrThrow()

export interface SourceVotes {
  readonly source: string
  readonly votes: number
}

/** The votes of each poll by source, by the key of the poll; a vote that is cast meanwhile can be in a source before it is in the tally. */
export async function votesBySource(
  db: Db,
  brandKey: number,
  polls: readonly { readonly key: number; readonly votes: number }[],
): Promise<ReadonlyMap<number, readonly SourceVotes[]>> {
  if (polls.length === 0) return new Map()
  const names = await namesOf(db, brandKey)
  const rows = await db
    .selectFrom('attributed_counts')
    .select(['poll_key', 'source_key', sql<number>`cast(sum(option_a + option_b) as bigint)`.as('votes')])
    .where('poll_key', 'in', padded(polls.map(({ key }) => key)))
    .groupBy(['poll_key', 'source_key'])
    .execute()
  const ofPoll = Map.groupBy(rows, ({ poll_key }) => poll_key)
  return new Map(
    polls.map(({ key, votes }) => {
      const named = (ofPoll.get(key) ?? []).flatMap((row) => {
        const source = names.get(row.source_key)
        return source !== undefined && row.votes >= LEAST_VOTES ? [{ source, votes: row.votes }] : []
      })
      named.sort(bySize)
      const others = votes - named.reduce((sum, row) => sum + row.votes, 0)
      return [key, others > 0 ? [...named, { source: OTHER_SOURCE, votes: others }] : named]
    }),
  )
}

const bySize = (left: SourceVotes, right: SourceVotes): number =>
  right.votes - left.votes || (left.source < right.source ? -1 : 1)

export async function namesOf(db: Db, brandKey: number): Promise<ReadonlyMap<number, string>> {
  const rows = await db.selectFrom('source_names').select(['key', 'name']).where('brand_key', '=', brandKey).execute()
  return new Map(rows.map(({ key, name }) => [key, name]))
}

function presented(sums: ReadonlyMap<number, Counted>, names: ReadonlyMap<number, string>): SourceRow[] {
  const other: Counted = { views: 0, optionA: 0, optionB: 0 }
  const rows: SourceRow[] = []
  for (const [key, counted] of sums) {
    const name = names.get(key)
    if (name !== undefined && counted.optionA + counted.optionB >= LEAST_VOTES) {
      rows.push(rowOf(name, counted))
      continue
    }
    other.views += counted.views
    other.optionA += counted.optionA
    other.optionB += counted.optionB
  }
  rows.sort(bySize)
  const isAny = other.views + other.optionA + other.optionB > 0
  return isAny ? [...rows, rowOf(OTHER_SOURCE, other)] : rows
}

function rowOf(name: string, { views, optionA, optionB }: Counted): SourceRow {
  const { shareA, low, high } = shareInterval({ optionA, optionB }) ?? { shareA: null, low: null, high: null }
  return { source: name, views, votes: optionA + optionB, optionA, optionB, shareA, low, high }
}
