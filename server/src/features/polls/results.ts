import type { Tallies } from '../../events/resources/tallies.ts'
import { type PollTimes, statusAt } from './status.ts'

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
