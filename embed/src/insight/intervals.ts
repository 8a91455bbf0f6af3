// insight: intervals and verdicts from the two counts of a poll, for the server, the console and pages.

/** The votes of both sides: whole numbers up to 10^12. */
export interface Sides {
  readonly optionA: number
  readonly optionB: number
}

export interface Interval {
  readonly low: number
  readonly high: number
}

export interface ShareInterval extends Interval {
  /** Between 0 and 1. */
  readonly shareA: number
}

export interface Difference extends Interval {
  readonly difference: number
}

/** The 97.5 % quantile of the normal distribution, for intervals at 95 %. */
const Z = 1.959963984540054

/** The share of A with its Wilson interval; null without votes. */
export function shareInterval({ optionA, optionB }: Sides): ShareInterval | null {
  const total = optionA + optionB
  if (total === 0) return null
  const middle = optionA + Z ** 2 / 2
  const reach = Z * Math.sqrt((optionA / total) * optionB + Z ** 2 / 4)
  const low = optionA === 0 ? 0 : (middle - reach) / (total + Z ** 2)
  const high = optionB === 0 ? 1 : (middle + reach) / (total + Z ** 2)
  return { shareA: optionA / total, low, high }
}

/** Below a thousand votes, a tenth of a percent says nothing. */
export const digitsFor = (votes: number): 0 | 1 => (votes < 1_000 ? 0 : 1)

/** The ends are rounded away from each other, so that the shown interval holds the true one. */
export function shownInterval({ low, high }: Interval, votes: number): Interval {
  const unit = 100 * 10 ** digitsFor(votes)
  return { low: Math.floor(low * unit) / unit, high: Math.ceil(high * unit) / unit }
}

/** The share of A in the first minus that in the second, with Newcombe's interval; null if either has no votes. */
export function differenceInterval(first: Sides, second: Sides): Difference | null {
  const [one, other] = [shareInterval(first), shareInterval(second)]
  if (!one || !other) return null
  const difference = one.shareA - other.shareA
  return {
    difference,
    low: difference - Math.hypot(one.shareA - one.low, other.high - other.shareA),
    high: difference + Math.hypot(one.high - one.shareA, other.shareA - other.low),
  }
}
