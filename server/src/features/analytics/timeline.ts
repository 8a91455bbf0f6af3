import { sql } from 'kysely'
import { HOUR, iso, MINUTE } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import type { Db } from '../../db/store.ts'
import { type Bucket, endOf, MOST_POINTS, pointsIn, type Span, startOf, WIDTH_OF } from './buckets.ts'

interface Asked {
  readonly bucket: Bucket
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Whole buckets, by default from the first vote, or as far back as the points reach, until now. */
export async function spanOf(db: Db, pollKey: number, { asked, now }: { asked: Asked; now: number }): Promise<Span> {
  const { bucket } = asked
  const width = WIDTH_OF[bucket]
  const to = endOf(bucket, asked.to ?? now + 1)
  if (asked.from !== undefined) return checked(bucket, { from: startOf(bucket, asked.from), to })
  const first = await firstHour(db, pollKey)
  const earliest = Math.min(first === null ? to : startOf(bucket, first), to - width)
  return { from: Math.max(earliest, to - MOST_POINTS * width), to }
}

function checked(bucket: Bucket, span: Span): Span {
  if (span.from >= span.to)
    throw invalidField('from', 'not_before_to', 'Must be before `to`, or before now without it.')
  if (pointsIn(bucket, span) > MOST_POINTS) {
    throw invalidField(
      'from',
      'too_many_points',
      `At most ${MOST_POINTS} points: ask for less time or a longer bucket.`,
    )
  }
  return span
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

/** One point for each bucket, also without votes. Days are summed from hours. */
export async function timelineOf(db: Db, pollKey: number, { bucket, span }: { bucket: Bucket; span: Span }) {
  const width = WIDTH_OF[bucket]
  const rows = await db
    .selectFrom('vote_counts')
    .select([
      sql<number>`at - at % ${sql.lit(width)}`.as('start'),
      sql<number>`cast(sum(option_a) as bigint)`.as('option_a'),
      sql<number>`cast(sum(option_b) as bigint)`.as('option_b'),
    ])
    .where('poll_key', '=', pollKey)
    .where('width', '=', bucket === 'minute' ? MINUTE : HOUR)
    .where('at', '>=', span.from)
    .where('at', '<', span.to)
    .groupBy('start')
    .execute()
  const counts = new Map(rows.map((row) => [row.start, row]))
  return Array.from({ length: pointsIn(bucket, span) }, (_, i) => {
    const at = span.from + i * width
    const found = counts.get(at)
    return { at: iso(at), optionA: found?.option_a ?? 0, optionB: found?.option_b ?? 0 }
  })
}
