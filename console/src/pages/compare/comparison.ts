export type Mode = 'polls' | 'periods'

/** A span of time, in milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

export interface Comparison {
  readonly mode: Mode
  readonly polls: readonly string[]
  readonly periods: readonly [Period, Period]
}

export const MOST_POLLS = 6
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** The service returns at most 2,000 points. */
const MOST_POINTS = 2_000
const BUCKETS = [
  { bucket: 'minute', length: MINUTE_MS },
  { bucket: 'hour', length: 60 * MINUTE_MS },
  { bucket: 'day', length: DAY_MS },
] as const

export interface PeriodPart extends Period {
  readonly bucket: (typeof BUCKETS)[number]['bucket']
}

/** Whole buckets (UTC) that make up a period to the minute: a bucket that only touches it would count votes from outside. */
export function partsOf({ from, to }: Period, level = 0): PeriodPart[] {
  const { bucket, length } = BUCKETS[level] ?? BUCKETS[2]
  const wider = BUCKETS[level + 1]
  if (from >= to) return []
  if (!wider || to - from <= MOST_POINTS * length) return [{ bucket, from, to }]
  const start = Math.ceil(from / wider.length) * wider.length
  const end = Math.floor(to / wider.length) * wider.length
  const ends = [
    { from, to: start },
    { from: end, to },
  ].filter((each) => each.from < each.to)
  return [...partsOf({ from: start, to: end }, level + 1), ...ends.map((each) => ({ bucket, ...each }))]
}

/** The last two weeks, to the minute. */
function lastWeeks(): [Period, Period] {
  const to = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
  return [
    { from: to - 2 * WEEK_MS, to: to - WEEK_MS },
    { from: to - WEEK_MS, to },
  ]
}

/** Reads the address, which people send and edit: what is missing or wrong has its default. */
export function comparisonIn(search: Record<string, unknown>): Comparison {
  const polls = typeof search['polls'] === 'string' ? [...new Set(search['polls'].split(','))].filter(Boolean) : []
  const times = typeof search['periods'] === 'string' ? search['periods'].split(',').map(Date.parse) : []
  const [from1 = Number.NaN, to1 = Number.NaN, from2 = Number.NaN, to2 = Number.NaN] = times
  const isWhole = times.length === 4 && times.every(Number.isFinite)
  return {
    mode: search['mode'] === 'periods' ? 'periods' : 'polls',
    polls: polls.slice(0, MOST_POLLS),
    periods: isWhole
      ? [
          { from: from1, to: to1 },
          { from: from2, to: to2 },
        ]
      : lastWeeks(),
  }
}

export function searchOf({ mode, polls, periods }: Comparison): Record<string, string> {
  const times = periods.flatMap(({ from, to }) => [from, to]).map((at) => new Date(at).toISOString())
  return {
    ...(polls.length === 0 ? {} : { polls: polls.join(',') }),
    ...(mode === 'polls' ? {} : { mode, periods: times.join(',') }),
  }
}
