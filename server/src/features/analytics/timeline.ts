import { sql } from 'kysely'
import { HOUR, iso, MINUTE } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import type { Db } from '../../db/store.ts'
import { type Calendar, endOf, MOST_POINTS, startOf, startsIn, stepFrom } from './buckets.ts'
import { countsByBucket } from './counts-by-bucket.ts'

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
  throw invalidField('from', 'too_many_points', `At most ${MOST_POINTS} points: ask for less time or a longer bucket.`)
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
