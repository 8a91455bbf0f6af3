import { digitsFor, type Interval, shownInterval } from '../../../../embed/src/insight/intervals.ts'
import type { Insight } from '../../../../embed/src/insight/verdict.ts'
import { percentIn } from '../../../../embed/src/words.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, language } from '../../words/words.ts'

export const shareText = (share: number, votes: number): string =>
  percentIn(language.lang, 100 * share, digitsFor(votes))

export function intervalText(interval: Interval, votes: number) {
  const { low, high } = shownInterval(interval, votes)
  return { low: shareText(low, votes), high: shareText(high, votes) }
}

const signed = (difference: number): string =>
  new Intl.NumberFormat(language.lang, { maximumFractionDigits: 1, signDisplay: 'exceptZero' }).format(100 * difference)

interface Difference {
  readonly difference: number
  readonly low: number
  readonly high: number
}

/** The values of a text about a difference of two shares. */
export const differenceText = ({ difference, low, high }: Difference) => ({
  difference: filled(resultWords().points, { points: signed(difference) }),
  low: signed(low),
  high: signed(high),
})

/** Whether chance alone can make the difference, in words. */
export const differenceMeaning = ({ low, high }: Pick<Difference, 'low' | 'high'>): string =>
  resultWords().difference[low > 0 || high < 0 ? 'clear' : 'unclear']

/** The verdict in words. A winner is named only where the votes are in and decide. */
export function verdictText({ verdict, leader }: Insight, labels: readonly [string, string], isOver: boolean): string {
  const its = resultWords().verdict
  if (verdict !== 'leading') return its[verdict]
  return filled(isOver ? its.winner : its.leading, { label: labels[leader === 'A' ? 0 : 1] })
}
