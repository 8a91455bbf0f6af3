import type { Choice, PollView } from './poll-view.ts'

type Counted = Pick<PollView, 'tallies' | 'status'>

/** The counts are in the open before a vote, too; whoever has not chosen yet shall not be led by them. */
export const areResultsShown = ({ tallies, status }: Counted, vote: Choice | null): boolean =>
  !tallies.hidden && (status === 'closed' || vote !== null)

/** Whole percent that add up to 100; none while there are no votes. */
export function sharesOf({ tallies }: Pick<PollView, 'tallies'>): Record<Choice, number> {
  if (tallies.total === 0) return { A: 0, B: 0 }
  const a = Math.round((100 * tallies.optionA) / tallies.total)
  return { A: a, B: 100 - a }
}
