import { z } from 'zod'
import { DAY, HOUR, MINUTE } from '../../base/clock.ts'

export const UTC = 'UTC'

/** Names only: an offset such as +02:00 knows no summer time. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

export const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, {
    error: 'Must be the name of a time zone, such as Europe/Berlin.',
    params: { code: 'unknown_time_zone' },
  })
  .default(UTC)

const zoned = (at: number, tz: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(tz)

const offsetAt = (at: number, tz: string): number => (tz === UTC ? 0 : zoned(at, tz).offsetNanoseconds / 1_000_000)

/** The start of the local day, `days` days after the one that contains `at`. */
const startOfDay = (at: number, tz: string, days = 0): number =>
  zoned(at, tz).add({ days }).startOfDay().epochMilliseconds

/** Where clocks change by half an hour, as on Lord Howe Island, the local hour of the change has two parts. */
function startOfHour(at: number, tz: string): number {
  const start = at - modulo(at + offsetAt(at, tz), HOUR)
  if (offsetAt(start, tz) === offsetAt(at, tz)) return start
  return zoned(start, tz).getTimeZoneTransition('next')?.epochMilliseconds ?? start
}

/** The start of the local week, which begins on Monday, `weeks` weeks after the one that contains `at`. */
function startOfWeek(at: number, tz: string, weeks = 0): number {
  const local = zoned(at, tz)
  return local.add({ days: 7 * weeks + 1 - local.dayOfWeek }).startOfDay().epochMilliseconds
}

export const BUCKETS = ['minute', 'hour', 'day', 'week'] as const
export type Bucket = (typeof BUCKETS)[number]

export const WIDTH_OF: Readonly<Record<Bucket, number>> = { minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY }

export const MOST_POINTS = 2_000

/** From the start of one bucket to the end of another. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

export interface Calendar {
  readonly bucket: Bucket
  readonly tz: string
}

/** 1 January 1970 was a Thursday. */
const SHIFT_OF: Readonly<Record<Bucket, number>> = { minute: 0, hour: 0, day: 0, week: 3 * DAY }

const modulo = (value: number, width: number): number => ((value % width) + width) % width

const isRegular = ({ bucket, tz }: Calendar): boolean => tz === UTC || bucket === 'minute'

/** Local days and weeks are found by the calendar: they are longer or shorter when the clocks change. */
export function startOf(calendar: Calendar, at: number): number {
  const { bucket, tz } = calendar
  if (isRegular(calendar)) return at - modulo(at + SHIFT_OF[bucket], WIDTH_OF[bucket])
  if (bucket === 'hour') return startOfHour(at, tz)
  return bucket === 'day' ? startOfDay(at, tz) : startOfWeek(at, tz)
}

/** The start of the bucket `count` buckets after the one that starts at `start`. */
export function stepFrom(calendar: Calendar, start: number, count = 1): number {
  const { bucket, tz } = calendar
  if (isRegular(calendar)) return start + count * WIDTH_OF[bucket]
  if (bucket === 'hour') return startOf(calendar, start + count * HOUR)
  return bucket === 'day' ? startOfDay(start, tz, count) : startOfWeek(start, tz, count)
}

/** The end of the bucket whose last moment is just before `at`. */
export function endOf(calendar: Calendar, at: number): number {
  const start = startOf(calendar, at)
  return start === at ? at : stepFrom(calendar, start)
}

/** The starts of all buckets of a span. Stops one after the most points, which is too many. */
export function startsIn(calendar: Calendar, { from, to }: TimeSpan): number[] {
  const starts: number[] = []
  for (let at = from; at < to && starts.length <= MOST_POINTS; at = stepFrom(calendar, at)) starts.push(at)
  return starts
}

/** Each row with the place of its bucket. Rows are in the order of time, and begin with or after the bucket `first`. */
export function* inBuckets<Row extends { readonly at: number }>(
  starts: readonly number[],
  rows: Iterable<Row>,
  first = 0,
): Generator<[place: number, row: Row]> {
  let place = first
  for (const row of rows) {
    while ((starts[place + 1] ?? Number.POSITIVE_INFINITY) <= row.at) place++
    yield [place, row]
  }
}
