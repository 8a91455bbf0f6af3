import { describe, expect, test } from 'bun:test'
import type { Sides } from './intervals.ts'
import { ballotOf, insightOf, logEvidence, verdictOf } from './verdict.ts'

/** (2a)! (2b)! ≥ 20 · 2ⁿ · a! b! n!: the same condition in whole numbers. */
function isLeadingExactly({ optionA, optionB }: Sides): boolean {
  const total = optionA + optionB
  const ways = factorial(2 * optionA) * factorial(2 * optionB)
  return ways >= 20n * 2n ** BigInt(total) * factorial(optionA) * factorial(optionB) * factorial(total)
}

const factorials = [1n]

function factorial(n: number): bigint {
  for (let i = factorials.length; i <= n; i++) factorials.push((factorials[i - 1] ?? 1n) * BigInt(i))
  return factorials[n] ?? 1n
}

/** The lead of A that is just enough in `total` votes, an even number. */
function leadNeeded(total: number): number {
  let [below, enough] = [total / 2, total]
  while (enough - below > 1) {
    const middle = Math.floor((below + enough) / 2)
    if (verdictOf({ optionA: middle, optionB: total - middle }) === 'leading') enough = middle
    else below = middle
  }
  return 2 * enough - total
}

/** Random bits, the same in each run (xorshift). */
function randomBits(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state
  }
}

/** The lead that each number of votes needs to be called, from 0 votes; infinite where no lead is enough. */
function leadsNeeded(most: number): Float64Array {
  const needed = new Float64Array(most + 1).fill(Number.POSITIVE_INFINITY)
  let lead = 0
  for (let total = 1; total <= most; total++) {
    lead = Math.max(total % 2, lead - 1)
    while (lead <= total && verdictOf({ optionA: (total + lead) / 2, optionB: (total - lead) / 2 }) !== 'leading')
      lead += 2
    if (lead <= total) needed[total] = lead
  }
  return needed
}

/** Looks after every vote. Where 32 votes cannot be enough, it counts them at once. */
function isEverCalled(needed: Float64Array, next: () => number): boolean {
  let lead = 0
  for (let votes = 0; votes + 32 < needed.length; votes += 32) {
    let bits = next()
    if (Math.abs(lead) + 32 < (needed[votes + 1] ?? 0)) {
      lead += 2 * bitCount(bits) - 32
      continue
    }
    for (let vote = 1; vote <= 32; vote++, bits >>>= 1) {
      lead += bits & 1 ? 1 : -1
      if (Math.abs(lead) >= (needed[votes + vote] ?? Number.POSITIVE_INFINITY)) return true
    }
  }
  return false
}

function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55_55_55_55)
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33)
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24
}

describe('the verdict', () => {
  test('is that of whole numbers for all counts up to 150 votes', () => {
    let leading = 0
    const wrong: Sides[] = []
    for (let total = 1; total <= 150; total++) {
      for (let optionA = 0; optionA <= total; optionA++) {
        const sides = { optionA, optionB: total - optionA }
        const isLeading = isLeadingExactly(sides)
        if ((verdictOf(sides) === 'leading') !== isLeading) wrong.push(sides)
        if (isLeading) leading++
      }
    }
    expect(wrong).toEqual([])
    expect(leading).toBeGreaterThan(5_000)
  })

  test('names a leader only where it says leading', () => {
    expect(insightOf({ optionA: 0, optionB: 0 })).toEqual({
      votes: 0,
      shareA: null,
      low: null,
      high: null,
      verdict: 'no_votes',
      leader: null,
    })
    expect(insightOf({ optionA: 34, optionB: 27 })).toMatchObject({ votes: 61, verdict: 'too_close', leader: null })
    expect(insightOf({ optionA: 0, optionB: 9 })).toMatchObject({ verdict: 'leading', leader: 'B', low: 0 })
    expect(insightOf({ optionA: 9, optionB: 0 })).toMatchObject({ verdict: 'leading', leader: 'A', high: 1 })
  })

  test('calls a vote by codes by its larger side, however close it is', () => {
    expect(ballotOf({ optionA: 17, optionB: 8 })).toMatchObject({ verdict: 'leading', leader: 'A', low: null })
    expect(ballotOf({ optionA: 12, optionB: 13 })).toMatchObject({ verdict: 'leading', leader: 'B', high: null })
    expect(ballotOf({ optionA: 5, optionB: 5 })).toMatchObject({ verdict: 'too_close', leader: null })
    expect(ballotOf({ optionA: 0, optionB: 0 })).toMatchObject({ verdict: 'no_votes', leader: null })
  })

  test('needs seven votes without one for the other side, and is never leading where both have as many', () => {
    const first = [...new Array(20).keys()].find((optionA) => verdictOf({ optionA, optionB: 0 }) === 'leading')
    expect(first).toBe(7)
    for (let half = 1; half <= 1e12; half *= 10) expect(logEvidence({ optionA: half, optionB: half })).toBeLessThan(0)
  })

  test.each([1e4, 1e6, 1e8, 1e10, 1e12])('has the boundary of the asymptotic formula at %p votes', (total) => {
    // log e = lead² / 2n - ½ log(πn / 2), for leads that are small beside the votes.
    const lead = Math.sqrt(2 * total * (Math.log(20) + Math.log((Math.PI * total) / 2) / 2))
    const ratio = leadNeeded(total) / lead
    expect(ratio).toBeWithin(0.999, 1.001)
  })

  test('calls at most 5 % of 20,000 even polls, looked at after each of 20,000 votes', () => {
    const [polls, votes] = [20_000, 20_000]
    const needed = leadsNeeded(votes)
    const next = randomBits(20_261)
    let called = 0
    for (let poll = 0; poll < polls; poll++) if (isEverCalled(needed, next)) called++
    expect(called / polls).toBeLessThanOrEqual(0.05)
    expect(called / polls).toBeGreaterThan(0.01)
  })
})
