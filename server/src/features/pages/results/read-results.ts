import { ballotOf, type Insight, insightOf } from '../../../../../embed/src/insight/verdict.ts'
import type { KeptResults } from '../../../base/cache.ts'
import type { BrandSummary } from '../../../events/resources/brand.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import { OTHER_SOURCE } from '../../../events/resources/source-name.ts'
import type { Bucket } from '../../analytics/buckets.ts'
import type { Crosstab, Crosstabs } from '../../analytics/crosstab.ts'
import type { Funnel, Funnels } from '../../analytics/funnel.ts'
import { hoursOf, LEAST_VOTES, type SourceRow, sourcesOf, sourcesOfCampaign } from '../../analytics/sources/sources.ts'
import { bucketsOf, timelineOf } from '../../analytics/timeline.ts'
import { presentBrandSummary } from '../../brands/brands.ts'
import { findOwnedCampaign, withItsPolls } from '../../campaigns/queries.ts'
import type { Deps } from '../../deps.ts'
import { presentListItem } from '../../polls/present-poll.ts'
import { type PollRow, pollsByKey } from '../../polls/queries.ts'

/** A poll with its counts, also where they are hidden from visitors. */
export interface PollResult {
  readonly poll: PollListItem
  readonly insight: Insight
}

export interface Timeline {
  readonly bucket: Exclude<Bucket, 'minute'>
  readonly points: Awaited<ReturnType<typeof timelineOf>>
}

interface Common {
  readonly title: string
  readonly brand: BrandSummary
  readonly countedAt: number
  /** Empty where no declared source has enough votes. */
  readonly sources: readonly SourceRow[]
}

export interface PollResults extends Common {
  readonly kind: 'poll'
  readonly result: PollResult
  readonly timeline: Timeline
}

export interface CampaignResults extends Common {
  readonly kind: 'campaign'
  readonly steps: readonly PollResult[]
  readonly funnel: Funnel
  /** Null where the reader has not chosen two of the steps. */
  readonly comparison: Comparison | null
}

export interface Comparison {
  readonly rows: PollListItem
  readonly columns: PollListItem
  /** Null where one of the four groups is so small that it could show how one person voted. */
  readonly crosstab: Crosstab | null
}

/** The slugs of two steps, as the reader has sent them. */
export interface Pair {
  readonly rows: string | null
  readonly columns: string | null
}

export type Results = PollResults | CampaignResults

interface Reading {
  readonly deps: Deps
  readonly now: number
}

/** Counts of many rows, which all readers share for a minute. */
export interface SharedCounts {
  readonly funnels: Funnels
  readonly crosstabs: Crosstabs
  readonly sources: KeptResults<SourceRow[]>
}

export function resultOf(row: PollRow, { deps, now }: Reading): PollResult {
  const poll = presentListItem(row, { deps, viewer: 'owner', now })
  return { poll, insight: (poll.admission === 'code' ? ballotOf : insightOf)(poll.tallies) }
}

/** Null once the poll is gone. */
export async function readPoll(
  reading: Reading,
  { pollKey, counts }: { pollKey: number; counts: SharedCounts },
): Promise<PollResults | null> {
  const { deps, now } = reading
  const [row] = await pollsByKey(deps.engine.db, [pollKey])
  if (!row) return null
  const result = resultOf(row, reading)
  const timeline = await timelineUntil(deps, row, now)
  const asked = { brandKey: row.brand_key, span: hoursOf({}, now) }
  const { value } = await counts.sources.of(`poll ${row.key}`, now, () => sourcesOf(deps.engine.db, [[row.key]], asked))
  const sources = withFewWithheld(value)
  return { kind: 'poll', title: row.title, brand: brandOf(result), countedAt: now, sources, result, timeline }
}

/** Null once the campaign is gone. The steps are the polls that its visitors see. */
export async function readCampaign(
  reading: Reading,
  { brandKey, campaignId, pair, counts }: { brandKey: number; campaignId: string; pair: Pair; counts: SharedCounts },
): Promise<CampaignResults | null> {
  const { deps, now } = reading
  const { db } = deps.engine
  const row = await findOwnedCampaign(db, brandKey, campaignId)
  if (!row) return null
  const { polls } = await withItsPolls(db, row)
  const shown = polls.filter(({ is_draft, archived_at }) => is_draft === 0 && archived_at === null)
  const steps = shown.map((poll) => resultOf(poll, reading))
  const funnel = await counts.funnels.of(db, row.key, now)
  const { value } = await counts.sources.of(`campaign ${row.key}`, now, () =>
    sourcesOfCampaign(db, row.key, { brandKey, span: hoursOf({}, now) }),
  )
  // The first options of several polls have no share in common.
  const sources = withFewWithheld(value).map(withoutShare)
  const keys = pairOf(shown, pair)
  const comparison = keys && {
    rows: resultOf(keys.rows, reading).poll,
    columns: resultOf(keys.columns, reading).poll,
    crosstab: withheld(await counts.crosstabs.of(db, { rows: keys.rows.key, columns: keys.columns.key }, now)),
  }
  const brand = presentBrandSummary(deps, { ...row, slug: row.brand_slug, name: row.brand_name })
  return { kind: 'campaign', title: row.title, brand, countedAt: now, sources, steps, funnel, comparison }
}

function pairOf(shown: readonly PollRow[], pair: Pair): { rows: PollRow; columns: PollRow } | null {
  const rows = shown.find(({ slug }) => slug === pair.rows)
  const columns = shown.find(({ slug }) => slug === pair.columns)
  return rows && columns && rows !== columns ? { rows, columns } : null
}

const withheld = (crosstab: Crosstab): Crosstab | null =>
  crosstab.cells.flat().some((respondents) => respondents < LEAST_VOTES) ? null : crosstab

const withoutShare = (row: SourceRow): SourceRow => ({ ...row, shareA: null, low: null, high: null })

/** Others alone say nothing about sources. */
function withFewWithheld(rows: readonly SourceRow[]): SourceRow[] {
  if (rows.every(({ source }) => source === OTHER_SOURCE)) return []
  return rows.map((row) => (row.votes < LEAST_VOTES ? withoutShare(row) : row))
}

function brandOf({ poll: { brand } }: PollResult): BrandSummary {
  if (!brand) throw new Error('a poll without a brand')
  return brand
}

/** More points than this are narrower than a bar can be. */
const MOST_BARS = 120

/** From the first vote until now, or until the end of a closed poll, in the finest buckets that a chart can show. */
async function timelineUntil({ engine: { db } }: Deps, row: PollRow, now: number): Promise<Timeline> {
  const isClosed = row.closes_at !== null && row.closes_at <= now
  // A poll can be closed for a time before its last votes.
  const to = isClosed ? Math.min(now, Math.max(row.closes_at ?? 0, row.counted_at + 1)) : undefined
  for (const bucket of ['hour', 'day', 'week'] as const) {
    const calendar = { bucket, tz: 'UTC' }
    const buckets = await bucketsOf(db, row.key, { asked: { ...calendar, to }, now })
    if (bucket !== 'week' && buckets.starts.length > MOST_BARS) continue
    return { bucket, points: await timelineOf(db, row.key, { calendar, ...buckets }) }
  }
  throw new Error('weeks are the widest buckets')
}
