import type { Choice, PollView } from './poll-view.ts'
import { percentIn } from './words.ts'

type Counted = Pick<PollView, 'tallies' | 'status'>

/** The votes of both sides. */
type Sides = Pick<PollView['tallies'], 'optionA' | 'optionB'>

/** Public results are shown after the vote, so that they do not influence the choice, or where the visitor asked for them. */
export const areResultsShown = ({ tallies, status }: Counted, vote: Choice | null, areSeen = false): boolean =>
  !tallies.hidden && (status === 'closed' || vote !== null || areSeen)

/** The part of the votes that one side has. */
export interface Share {
  /** The number in the form of the language. */
  readonly text: string
  /** The length of its bar, as a percentage: exact, but a side with votes has at least 1, which can be seen. */
  readonly length: number
}

/**
 * The shares of both sides. They are rounded here and nowhere else.
 *
 * - Each text is true, the greater side reads greater, and both read the same only where the counts are the same.
 * - Two plain numbers add up to 100: the smaller side is rounded, the greater has the rest.
 * - One decimal from 1,000 votes on, and where whole percents tie though the counts differ: `49.7%` and `50.3%`.
 *   A tie and votes for one side alone are exact and have none: `50%` twice, `100%` and `0%`.
 * - Where rounding still denies a side its votes or claims a tie, both are bounds: `<1%` and `>99%`, with a decimal
 *   `<0.1%` and `>99.9%`; `<50%` and `>50%`.
 */
export function sharesIn(lang: string | undefined, { optionA, optionB }: Sides): Record<Choice, Share> {
  const total = optionA + optionB
  const exact = total && (100 * Math.min(optionA, optionB)) / total
  const isRounded = exact % 50 > 0
  const digits = isRounded && (total >= 1_000 || Math.round(exact) === 50) ? 1 : 0
  const rounded = Number(exact.toFixed(digits))
  const isBound = isRounded && rounded % 50 === 0
  const least = rounded || (isBound ? 10 ** -digits : 0)
  const length = exact && Math.max(1, exact)
  // A bound stands where the language puts the sign of a number.
  const write = (percent: number, bound: string) =>
    percentIn(lang, isBound ? -percent : percent, least === 50 ? 0 : digits).replace('-', bound)
  const smaller = { text: write(least, '<'), length }
  const greater = { text: write(total && 100 - least, '>'), length: total && 100 - length }
  return optionA < optionB ? { A: smaller, B: greater } : { A: greater, B: smaller }
}
