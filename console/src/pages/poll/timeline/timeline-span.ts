import type { PollInView } from '../use-poll.ts'

export const SPANS = ['all', 'hour', 'day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]
export type Bucket = 'minute' | 'hour' | 'day' | 'week'

/** The service draws at most 2,000 points: no shorter bucket fits into a longer span. All of a poll is as far back as they reach. */
export const BUCKETS: Readonly<Record<Span, readonly Bucket[]>> = {
  all: ['minute', 'hour', 'day', 'week'],
  hour: ['minute'],
  day: ['minute', 'hour'],
  week: ['hour', 'day'],
  month: ['hour', 'day', 'week'],
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SPAN_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const

export const fromOf = (span: Span): string | undefined =>
  span === 'all' ? undefined : new Date(Date.now() - SPAN_MS[span]).toISOString()

/** Few points say nothing, and too many are not told apart. */
export function firstBucket({ createdAt }: Pick<PollInView, 'createdAt'>, span: Span): Bucket {
  if (span === 'month') return 'day'
  if (span !== 'all') return span === 'hour' ? 'minute' : 'hour'
  const age = Date.now() - Date.parse(createdAt)
  if (age < 3 * HOUR_MS) return 'minute'
  return age < 10 * DAY_MS ? 'hour' : 'day'
}
