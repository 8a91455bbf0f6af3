import type { Choice, PollView } from './poll-view.ts'

/** The choice with more votes; null where both have as many. */
export function leaderOf({ tallies: { optionA, optionB } }: Pick<PollView, 'tallies'>): Choice | null {
  if (optionA === optionB) return null
  return optionA > optionB ? 'A' : 'B'
}
