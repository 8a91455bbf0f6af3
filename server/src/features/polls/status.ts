export type Status = 'scheduled' | 'open' | 'closed'

export interface VotingWindow {
  readonly opens_at: number | null
  readonly closes_at: number | null
}

/** What the status of a poll is made from. */
export interface PollTimes extends VotingWindow {
  readonly archived_at: number | null
}

/** Computed from the clock at each call, never by a timer. An archived poll is closed, whatever its window says. */
export const statusAt = (poll: PollTimes, now: number): Status =>
  poll.archived_at === null ? windowStatusAt(poll, now) : 'closed'

export function windowStatusAt({ opens_at, closes_at }: VotingWindow, now: number): Status {
  if (opens_at !== null && now < opens_at) return 'scheduled'
  return closes_at !== null && now >= closes_at ? 'closed' : 'open'
}

/** The next moment at which the status changes by itself. */
export const statusChangesAt = (poll: PollTimes, now: number): number | null =>
  poll.archived_at === null ? windowChangesAt(poll, now) : null

export function windowChangesAt({ opens_at, closes_at }: VotingWindow, now: number): number | null {
  if (opens_at !== null && now < opens_at) return opens_at
  return closes_at !== null && now < closes_at ? closes_at : null
}

export const earliest = (moments: readonly (number | null)[]): number | null =>
  moments.reduce((least, moment) => (moment !== null && (least === null || moment < least) ? moment : least), null)
