import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { differenceInterval, shareInterval, shownInterval } from './intervals.ts'
import { logEvidence } from './verdict.ts'

const TABLE = new URL('../../test/insight/reference-values.csv', import.meta.url)

const lines = readFileSync(TABLE, 'utf8').trim().split('\n').slice(1)

/** Equal in nine significant digits. `noise` is the error of the reference, which subtracts large numbers. */
function expectNineDigits(actual: number | undefined, expected: number | undefined, noise = 0): void {
  const allowed = Math.max(5e-10 * Math.abs(expected ?? 0), noise)
  expect(Math.abs((actual ?? Number.NaN) - (expected ?? Number.NaN))).toBeLessThanOrEqual(allowed)
}

describe('R', () => {
  test.each(lines)('has the same intervals: %s', (line) => {
    const [a1 = 0, b1 = 0, a2 = 0, b2 = 0, low1, high1, low2, high2, low, high, evidence] = line.split(',').map(Number)
    const [first, second] = [
      { optionA: a1, optionB: b1 },
      { optionA: a2, optionB: b2 },
    ]
    const [one, two] = [shareInterval(first), shareInterval(second)]
    expectNineDigits(one?.low, low1)
    expectNineDigits(one?.high, high1)
    expectNineDigits(two?.low, low2)
    expectNineDigits(two?.high, high2)
    const difference = differenceInterval(first, second)
    expectNineDigits(difference?.low, low)
    expectNineDigits(difference?.high, high)
    expectNineDigits(logEvidence(first), evidence, 1e-14 + 1e-15 * (a1 + b1))
  })

  test('computed sixteen pairs of counts', () => {
    expect(lines).toHaveLength(16)
  })
})

test('without votes there is no interval', () => {
  const [none, some] = [
    { optionA: 0, optionB: 0 },
    { optionA: 3, optionB: 4 },
  ]
  expect(shareInterval(none)).toBeNull()
  expect(differenceInterval(none, some)).toBeNull()
  expect(differenceInterval(some, none)).toBeNull()
})

test('the bounds of A and B mirror each other, and hold the share', () => {
  for (let total = 1; total < 400; total += 7) {
    for (let optionA = 0; optionA <= total; optionA++) {
      const [of, mirrored] = [
        shareInterval({ optionA, optionB: total - optionA }),
        shareInterval({ optionA: total - optionA, optionB: optionA }),
      ]
      expect(of && mirrored && Math.abs(of.low + mirrored.high - 1) < 1e-14).toBe(true)
      expect(of && of.low >= 0 && of.low <= of.shareA && of.shareA <= of.high && of.high <= 1).toBe(true)
    }
  }
})

/** Numbers between 0 and 1, the same in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test.each([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])(
  'of 20,000 polls with a true share of %p at least 94 %% are covered',
  (share) => {
    const next = randomNumbers(1_000 * share)
    const polls = 20_000
    let covered = 0
    for (let poll = 0; poll < polls; poll++) {
      const total = 50 + Math.floor(450 * next())
      let optionA = 0
      for (let vote = 0; vote < total; vote++) if (next() < share) optionA++
      const interval = shareInterval({ optionA, optionB: total - optionA })
      if (interval && interval.low <= share && share <= interval.high) covered++
    }
    expect(covered / polls).toBeWithin(0.94, 0.965)
  },
)

test('a shown interval holds the true one, at both precisions and from both sides', () => {
  for (const [optionA, optionB] of [
    [237, 200],
    [1, 0],
    [512, 501],
    [0, 7],
  ] as const) {
    const interval = shareInterval({ optionA, optionB }) ?? { low: 0, high: 0 }
    const votes = optionA + optionB
    const shown = shownInterval(interval, votes)
    expect(shown.low).toBeLessThanOrEqual(interval.low)
    expect(shown.high).toBeGreaterThanOrEqual(interval.high)
    expect(shown.high - shown.low - (interval.high - interval.low)).toBeLessThan(votes < 1_000 ? 0.02 : 0.002)
  }
  expect(shownInterval({ low: 0.4955, high: 0.5885 }, 437)).toEqual({ low: 0.49, high: 0.59 })
  expect(shownInterval({ low: 0.4955, high: 0.5885 }, 1_000)).toEqual({ low: 0.495, high: 0.589 })
})
