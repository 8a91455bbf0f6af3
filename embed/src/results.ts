import type { Choice, PollView } from './poll-view.ts'

type Counted = Pick<PollView, 'tallies' | 'status'>

/** Results are shown after the vote only, even where they are public: they must not influence the choice. */
export const areResultsShown = ({ tallies, status }: Counted, vote: Choice | null): boolean =>
  !tallies.hidden && (status === 'closed' || vote !== null)

/** The choice with more votes; null where both have as many. */
export function leaderOf({ tallies: { optionA, optionB } }: Pick<PollView, 'tallies'>): Choice | null {
  if (optionA === optionB) return null
  return optionA > optionB ? 'A' : 'B'
}

/** Whole percentages that add up to 100; null without votes. */
export function sharesOf({ tallies }: Pick<PollView, 'tallies'>): Record<Choice, number> {
  if (tallies.total === 0) return { A: 0, B: 0 }
  const a = Math.round((100 * tallies.optionA) / tallies.total)
  return { A: a, B: 100 - a }
}
