import { z } from 'zod'

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

export const offsetAt = (at: number, tz: string): number =>
  tz === UTC ? 0 : zoned(at, tz).offsetNanoseconds / 1_000_000

/** The start of the local day, `days` days after the one that contains `at`. */
export const startOfDay = (at: number, tz: string, days = 0): number =>
  zoned(at, tz).add({ days }).startOfDay().epochMilliseconds

/** The start of the local week, which begins on Monday, `weeks` weeks after the one that contains `at`. */
export function startOfWeek(at: number, tz: string, weeks = 0): number {
  const local = zoned(at, tz)
  return local.add({ days: 7 * weeks + 1 - local.dayOfWeek }).startOfDay().epochMilliseconds
}

export interface Offset {
  readonly offset: number
  /** Excluded; infinite for the last one. */
  readonly until: number
}

/** The offsets from UTC within a span, in order. */
export function offsetsIn(tz: string, { from, to }: { from: number; to: number }): Offset[] {
  const offsets: Offset[] = []
  for (let at = from; ; ) {
    const next = tz === UTC ? null : zoned(at, tz).getTimeZoneTransition('next')
    const until = next && next.epochMilliseconds < to ? next.epochMilliseconds : Number.POSITIVE_INFINITY
    offsets.push({ offset: offsetAt(at, tz), until })
    if (until === Number.POSITIVE_INFINITY) return offsets
    at = until
  }
}
