export type Status = 'scheduled' | 'open' | 'closed'

export interface VotingWindow {
  readonly opens_at: number | null
  readonly closes_at: number | null
}

/** Computed from the clock whenever it is asked, never by a timer. */
export function statusAt({ opens_at, closes_at }: VotingWindow, now: number): Status {
  if (opens_at !== null && now < opens_at) return 'scheduled'
  return closes_at !== null && now >= closes_at ? 'closed' : 'open'
}

export const EMPTY_WINDOW = { code: 'before_opens_at', message: 'A poll must open before it closes.' }

export const isEmptyWindow = (opensAt: number | null, closesAt: number | null): boolean =>
  opensAt !== null && closesAt !== null && opensAt >= closesAt

/** The next moment at which the status changes by itself. */
export function statusChangesAt({ opens_at, closes_at }: VotingWindow, now: number): number | null {
  if (opens_at !== null && now < opens_at) return opens_at
  return closes_at !== null && now < closes_at ? closes_at : null
}

export const earliest = (moments: readonly (number | null)[]): number | null =>
  moments.reduce((least, moment) => (moment !== null && (least === null || moment < least) ? moment : least), null)
