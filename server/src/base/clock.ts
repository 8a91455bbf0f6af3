export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const isoOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : iso(milliseconds)

/** The time of a change, always later than the change before: two changes within a millisecond get different times. */
export const laterThan = (before: number, now: number): number => Math.max(now, before + 1)

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
