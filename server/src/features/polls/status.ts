export type Status = 'scheduled' | 'open' | 'closed'

export interface VotingWindow {
  readonly opens_at: number | null
  readonly closes_at: number | null
}

/** The fields that determine a poll's status. */
export interface PollTimes extends VotingWindow {
  readonly archived_at: number | null
}

/** Computed from the clock at each call, never by a timer. An archived poll is closed, also within its window. */
export const statusAt = (poll: PollTimes, now: number): Status =>
  poll.archived_at === null ? windowStatusAt(poll, now) : 'closed'

export function windowStatusAt({ opens_at, closes_at }: VotingWindow, now: number): Status {
  if (opens_at !== null && now < opens_at) return 'scheduled'
  return closes_at !== null && now >= closes_at ? 'closed' : 'open'
}

/** The next moment at which the clock changes the status. */
export const statusChangesAt = (poll: PollTimes, now: number): number | null =>
  poll.archived_at === null ? windowChangesAt(poll, now) : null

export function windowChangesAt({ opens_at, closes_at }: VotingWindow, now: number): number | null {
  if (opens_at !== null && now < opens_at) return opens_at
  return closes_at !== null && now < closes_at ? closes_at : null
}

/** Data derived from a poll is valid from `madeAt`, since clocks can be set back, until the clock changes the poll's status. */
export const holdsAt = ({ madeAt, changesAt }: { madeAt: number; changesAt: number | null }, now: number): boolean =>
  now >= madeAt && (changesAt === null || now < changesAt)

export const earliest = (moments: readonly (number | null)[]): number | null =>
  moments.reduce((least, moment) => (moment !== null && (least === null || moment < least) ? moment : least), null)
