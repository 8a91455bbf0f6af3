export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const isoOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : iso(milliseconds)

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
