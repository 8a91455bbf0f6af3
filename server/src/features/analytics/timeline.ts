import { setImmediate as nextTurn } from 'node:timers/promises'
import { HOUR, iso, MINUTE } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import type { Db } from '../../db/store.ts'
import {
  type Calendar,
  endOf,
  inBuckets,
  MOST_POINTS,
  startOf,
  startsIn,
  stepFrom,
  type TimeSpan,
  WIDTH_OF,
} from './buckets.ts'
import { viewsByHour } from './sources/view-counts.ts'

/** Rows of counts that one statement reads at most: SQLite blocks the event loop meanwhile. */
const MOST_ROWS = 20_000

interface Buckets {
  readonly starts: readonly number[]
  readonly to: number
}

/** Whole buckets, by default from the first vote, or as far back as the points reach, until now. */
export async function bucketsOf(
  db: Db,
  pollKey: number,
  { asked, now }: { asked: Calendar & Partial<Record<keyof TimeSpan, number | undefined>>; now: number },
): Promise<Buckets> {
  const to = endOf(asked, asked.to ?? now + 1)
  if (asked.from !== undefined) return { starts: checked(asked, { from: startOf(asked, asked.from), to }), to }
  const first = await firstHour(db, pollKey)
  const latest = startOf(asked, to - 1)
  const from = Math.min(first === null ? latest : startOf(asked, first), latest)
  const earliest = stepFrom(asked, to, -MOST_POINTS)
  return { starts: startsIn(asked, { from: Math.max(from, earliest), to }).slice(-MOST_POINTS), to }
}

function checked(calendar: Calendar, span: { from: number; to: number }): number[] {
  if (span.from >= span.to) throw invalidField('from', 'not_before_to', 'Must be before `to`, which is now by default.')
  const starts = startsIn(calendar, span)
  if (starts.length <= MOST_POINTS) return starts
  throw invalidField(
    'from',
    'too_many_points',
    `Must give at most ${MOST_POINTS} points: ask for less time or a longer bucket.`,
  )
}

/** Read from the counts, which are far fewer than the votes. */
async function firstHour(db: Db, pollKey: number): Promise<number | null> {
  const row = await db
    .selectFrom('vote_counts')
    .select('at')
    .where('poll_key', '=', pollKey)
    .where('width', '=', HOUR)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst()
  return row?.at ?? null
}

/** One point for each bucket, also without votes. Stored counts are aligned to UTC: some local hours begin within one of theirs. */
export async function timelineOf(
  db: Db,
  pollKey: number,
  { calendar: { bucket }, starts, to }: Buckets & { calendar: Calendar },
) {
  const isFine = bucket === 'minute' || [...starts, to].some((at) => at % HOUR !== 0)
  const width = isFine ? MINUTE : HOUR
  const hasViews = bucket !== 'minute'
  const points = starts.map((at) => ({ at: iso(at), optionA: 0, optionB: 0, ...(hasViews ? { views: 0 } : {}) }))
  const perPart = Math.max(1, Math.floor((MOST_ROWS * width) / WIDTH_OF[bucket]))
  for (let i = 0; i < starts.length; i += perPart) {
    const span = { from: starts[i] ?? to, to: starts[i + perPart] ?? to }
    for (const [place, { option_a, option_b }] of inBuckets(starts, await countsIn(db, pollKey, { span, width }), i)) {
      const point = points[place]
      if (!point) continue
      point.optionA += option_a
      point.optionB += option_b
    }
    if (hasViews) addViews(points, inBuckets(starts, await viewsByHour(db, [pollKey], span), i))
    await nextTurn()
  }
  return points
}

function addViews(
  points: { views?: number }[],
  counted: Iterable<[place: number, row: { readonly views: number }]>,
): void {
  for (const [place, { views }] of counted) {
    const point = points[place]
    if (point) point.views = (point.views ?? 0) + views
  }
}

/** The counts of a poll in a span, in order. */
export const countsIn = (db: Db, pollKey: number, { span, width }: { span: TimeSpan; width: number }) =>
  db
    .selectFrom('vote_counts')
    .select(['at', 'option_a', 'option_b'])
    .where('poll_key', '=', pollKey)
    .where('width', '=', width)
    .where('at', '>=', span.from)
    .where('at', '<', span.to)
    .orderBy('at')
    .execute()
