import { type RawBuilder, sql } from 'kysely'
import { DAY, HOUR, iso, MINUTE } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import type { Db } from '../../db/store.ts'
import {
  type Bucket,
  bucketKey,
  type Calendar,
  endOf,
  MOST_POINTS,
  type Offset,
  offsetsIn,
  shiftOf,
  startOf,
  startsIn,
  stepFrom,
  type TimeSpan,
  WIDTH_OF,
} from './buckets.ts'

/** Rows of counts that one statement reads at most, so that others do not wait long for it. */
const MOST_ROWS = 100_000

interface Counted {
  /** The `bucketKey`. */
  readonly start: number
}

interface Part {
  readonly span: TimeSpan
  /** Which counts to read: those of hours, or finer ones where a local hour begins within an hour of UTC. */
  readonly width: number
  /** Computes the `bucketKey` of a row. */
  readonly start: RawBuilder<number>
}

interface BucketQuery {
  readonly calendar: Calendar
  /** In order, and the end of the last one. */
  readonly starts: readonly number[]
  readonly to: number
  /** The width of the counts that are finer than hours. */
  readonly finest: number
}

/** Adds up stored counts, which are aligned to UTC, by the buckets of a calendar: for each bucket its row, if it has one. */
export async function countsByBucket<Row extends Counted>(
  { calendar, starts, to, finest }: BucketQuery,
  read: (part: Part) => Promise<readonly Row[]>,
): Promise<(Row | undefined)[]> {
  const { bucket, tz } = calendar
  const from = starts[0] ?? to
  const offsets = offsetsIn(tz, { from, to })
  const isFine = bucket === 'minute' || offsets.some(({ offset }) => offset % HOUR !== 0)
  const width = isFine ? finest : HOUR
  const offset = offsetExpression(offsets)
  const start = startExpression(bucket, offset)
  const rows = new Map<number, Row>()
  const perPart = Math.max(1, Math.floor((MOST_ROWS * width) / WIDTH_OF[bucket]))
  for (let i = 0; i < starts.length; i += perPart) {
    const span = { from: starts[i] ?? to, to: starts[i + perPart] ?? to }
    for (const row of await read({ span, width, start })) rows.set(row.start, row)
  }
  let place = 0
  return starts.map((at) => {
    while (at >= (offsets[place]?.until ?? Number.POSITIVE_INFINITY)) place++
    return rows.get(bucketKey(bucket, at, offsets[place]?.offset ?? 0))
  })
}

function offsetExpression(offsets: readonly Offset[]): RawBuilder<number> {
  const cases = offsets.map(({ offset, until }) =>
    Number.isFinite(until) ? sql`when at < ${sql.lit(until)} then ${sql.lit(offset)}` : sql`else ${sql.lit(offset)}`,
  )
  return cases.length === 1 ? sql`${sql.lit(offsets[0]?.offset ?? 0)}` : sql`case ${sql.join(cases, sql` `)} end`
}

/** SQL for the start that `bucketKey` computes. No vote is older than 1970, so the remainders are positive. */
function startExpression(bucket: Bucket, offset: RawBuilder<number>): RawBuilder<number> {
  const width = sql.lit(WIDTH_OF[bucket])
  if (WIDTH_OF[bucket] < DAY) return sql`at - (at + ${offset}) % ${width}`
  return sql`at + ${offset} - (at + ${offset} + ${sql.lit(shiftOf(bucket))}) % ${width}`
}

interface TimelineQuery extends Calendar {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

interface Buckets {
  readonly starts: readonly number[]
  readonly to: number
}

/** Whole buckets, by default from the first vote, or as far back as the points reach, until now. */
export async function bucketsOf(
  db: Db,
  pollKey: number,
  { asked, now }: { asked: TimelineQuery; now: number },
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

/** One point for each bucket, also without votes. */
export async function timelineOf(db: Db, pollKey: number, { calendar, starts, to }: Buckets & { calendar: Calendar }) {
  const counts = await countsByBucket({ calendar, starts, to, finest: MINUTE }, ({ span, width, start }) =>
    db
      .selectFrom('vote_counts')
      .select([
        start.as('start'),
        sql<number>`cast(sum(option_a) as bigint)`.as('option_a'),
        sql<number>`cast(sum(option_b) as bigint)`.as('option_b'),
      ])
      .where('poll_key', '=', pollKey)
      .where('width', '=', width)
      .where('at', '>=', span.from)
      .where('at', '<', span.to)
      .groupBy('start')
      .execute(),
  )
  return starts.map((at, i) => {
    const found = counts[i]
    return { at: iso(at), optionA: found?.option_a ?? 0, optionB: found?.option_b ?? 0 }
  })
}
