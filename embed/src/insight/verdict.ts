import type { Choice } from '../poll-view.ts'
import { type ShareInterval, type Sides, shareInterval } from './intervals.ts'

export type Verdict = 'no_votes' | 'too_close' | 'leading'

/** The meaning of two counts. `leader` is null unless the verdict is `leading`. */
export interface Insight {
  readonly votes: number
  readonly shareA: number | null
  readonly low: number | null
  readonly high: number | null
  readonly verdict: Verdict
  readonly leader: Choice | null
}

/** A fair coin ever reaches this evidence with a probability of at most 1 in 20, however often one looks. */
const ENOUGH = Math.log(20)

const NO_SHARE: Record<keyof ShareInterval, null> = { shareA: null, low: null, high: null }

export function insightOf(sides: Sides): Insight {
  const votes = sides.optionA + sides.optionB
  const verdict = verdictOf(sides)
  const larger = sides.optionA > sides.optionB ? 'A' : 'B'
  return { votes, ...(shareInterval(sides) ?? NO_SHARE), verdict, leader: verdict === 'leading' ? larger : null }
}

/** The meaning of a vote by codes: a whole count, not a sample, so no difference is chance, and `too_close` is a tie. */
export function ballotOf(sides: Sides): Insight {
  const { votes, shareA } = insightOf(sides)
  const isEven = sides.optionA === sides.optionB
  const larger = sides.optionA > sides.optionB ? 'A' : 'B'
  const verdict = isEven ? verdictOf(sides) : 'leading'
  return { votes, shareA, low: null, high: null, verdict, leader: isEven ? null : larger }
}

export function verdictOf(sides: Sides): Verdict {
  if (sides.optionA + sides.optionB === 0) return 'no_votes'
  return logEvidence(sides) >= ENOUGH ? 'leading' : 'too_close'
}

/**
 * The logarithm of the evidence against an even split: B(a + ½, b + ½) / B(½, ½) · 2^(a + b).
 *
 * Stirling's formula leaves n times the divergence of the shares from ½, and small corrections. Sums of logarithms of
 * factorials would lose all digits of the result for large counts.
 */
export function logEvidence({ optionA: a, optionB: b }: Sides): number {
  const n = a + b
  if (n === 0) return 0
  const lean = (a - b) / n
  const divergence = times(a, Math.log1p(lean)) + times(b, Math.log1p(-lean))
  return divergence + correction(a) + correction(b) - factorialCorrection(n) - Math.log((n * Math.PI) / 2) / 2
}

/** 0 · log 0 is 0 here. */
const times = (count: number, log: number): number => (count === 0 ? 0 : count * log)

const FEW = 16
const HALF_LOG_2_PI = Math.log(2 * Math.PI) / 2

/** log Γ(z + ½) minus Stirling's z log z - z + ½ log 2π. The series has an error below 10^-12 from `FEW` on. */
function correction(z: number): number {
  if (z >= FEW) return series(z, [-1 / 24, 7 / 2880, -31 / 40_320, 127 / 430_080, -511 / 1_216_512])
  let logGamma = Math.log(Math.PI) / 2
  for (let factor = 0.5; factor < z; factor++) logGamma += Math.log(factor)
  return logGamma - times(z, Math.log(z)) + z - HALF_LOG_2_PI
}

/** log n! minus Stirling's n log n - n + ½ log 2πn. */
function factorialCorrection(n: number): number {
  if (n >= FEW) return series(n, [1 / 12, -1 / 360, 1 / 1_260, -1 / 1_680, 1 / 1_188])
  let logFactorial = 0
  for (let factor = 2; factor <= n; factor++) logFactorial += Math.log(factor)
  return logFactorial - n * Math.log(n) + n - HALF_LOG_2_PI - Math.log(n) / 2
}

/** c₀/z + c₁/z³ + c₂/z⁵ + …, from the smallest term. */
const series = (z: number, terms: readonly number[]): number =>
  terms.reduceRight((sum, term) => sum / z / z + term, 0) / z
