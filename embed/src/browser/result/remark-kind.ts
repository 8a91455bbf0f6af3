import type { Choice, PollView } from '../../poll-view.ts'

/** A result that has words of its own. */
export type RemarkKind = 'firstVote' | 'roundCount' | 'deadHeat' | 'oneApart' | 'onlyOne' | 'amongFew' | 'amongMost'

/** Below this many votes, a share says little. */
const LEAST_VOTES = 20
const FEW = 0.15
const MOST = 0.85

/**
 * The kind of a result, seen from one side; null where nothing is special or the results are hidden. Only these two counts
 * are known: the voter's own place in the order of the votes is not.
 */
export function remarkKindOf({ tallies }: Pick<PollView, 'tallies'>, side: Choice): RemarkKind | null {
  const { optionA, optionB, hidden } = tallies
  const [mine, others] = side === 'A' ? [optionA, optionB] : [optionB, optionA]
  const total = mine + others
  // A side without votes cannot be the side of a voter: the counts are older than the vote.
  if (hidden || mine === 0) return null
  if (total === 1) return 'firstVote'
  if (/^10{2,}$/.test(String(total))) return 'roundCount'
  if (mine === others) return 'deadHeat'
  if (Math.abs(mine - others) === 1) return 'oneApart'
  if (mine === 1) return 'onlyOne'
  if (total < LEAST_VOTES) return null
  if (mine < FEW * total) return 'amongFew'
  return mine > MOST * total ? 'amongMost' : null
}
