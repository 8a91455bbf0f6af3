import type { Tallies } from '../../events/resources/tallies.ts'

export type Status = 'scheduled' | 'open' | 'closed'

interface VotingWindow {
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

/** The viewer: the public, a voter of this poll, or the owner. */
export type Viewer = 'public' | 'voter' | 'owner'

interface Policy extends PollTimes {
  readonly results_visibility: string
}

export function areResultsHidden(poll: Policy, viewer: Viewer, now: number): boolean {
  if (viewer === 'owner') return false
  switch (poll.results_visibility) {
    case 'always':
      return false
    case 'after_vote':
      return viewer !== 'voter'
    case 'after_close':
      return statusAt(poll, now) !== 'closed'
    default:
      return true
  }
}

interface Counts {
  readonly option_a: number
  readonly option_b: number
}

export const presentTallies = (poll: Policy & Counts, viewer: Viewer, now: number): Tallies =>
  areResultsHidden(poll, viewer, now)
    ? { optionA: 0, optionB: 0, total: 0, hidden: true }
    : { optionA: poll.option_a, optionB: poll.option_b, total: poll.option_a + poll.option_b }

/** The sort key of `popular`: hidden results count as zero, or the order would reveal them. */
export const popularityOf = (poll: Policy & Counts, now: number): number => presentTallies(poll, 'public', now).total
