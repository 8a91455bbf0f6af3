import { describe, expect, test } from 'bun:test'
import { BOUND, differences, isUpheld, judged, type ShowResult } from './day-verdict.ts'

const votes = 10_000
const slow: ShowResult = { storedWithinSecond: 4_000, refusals: 2_000, longestWaitSeconds: 5, meanWaitSeconds: 3 }
const fast: ShowResult = { storedWithinSecond: 7_000, refusals: 0, longestWaitSeconds: 2, meanWaitSeconds: 1 }
const between: ShowResult = { storedWithinSecond: 5_000, refusals: 900, longestWaitSeconds: 3, meanWaitSeconds: 2 }
const found = (change: Partial<ShowResult>) => differences({ ...between, ...change }, { slow, fast }, votes)

describe('a real show agrees with its simulations', () => {
  test('between them, and up to the bound beyond them', () => {
    expect(found({})).toEqual([])
    expect(found({ longestWaitSeconds: 6 * BOUND - 1.01 })).toEqual([])
    expect(found({ longestWaitSeconds: 3 / BOUND - 0.99 })).toEqual([])
  })

  test.each([
    ['longest wait', { longestWaitSeconds: 6 * BOUND - 0.99 }],
    ['longest wait', { longestWaitSeconds: 3 / BOUND - 1.01 }],
    ['mean wait', { meanWaitSeconds: 5.1 }],
    ['mean wait', { meanWaitSeconds: 0.3 }],
    ['stored late', { storedWithinSecond: 9_500 }],
    ['stored late', { storedWithinSecond: 0 }],
    ['refusals', { refusals: 6_000 }],
  ] as const)('not in the %s: %j', (name, change) => {
    expect(found(change)).toEqual([name])
  })

  test('where neither has anything to wait for', () => {
    const idle: ShowResult = { storedWithinSecond: votes, refusals: 0, longestWaitSeconds: 0.1, meanWaitSeconds: 0 }
    expect(differences(idle, { slow: idle, fast: idle }, votes)).toEqual([])
    expect(differences({ ...idle, refusals: 2_000 }, { slow: idle, fast: idle }, votes)).toEqual(['refusals'])
  })
})

test('more than half of the rounds must agree', () => {
  expect(isUpheld([[], ['refusals'], []])).toBe(true)
  expect(isUpheld([[], ['refusals']])).toBe(false)
  expect(isUpheld([])).toBe(false)
})

test('rounds in which the server rarely had its core are not judged', () => {
  expect(judged([{ share: 0.39 }, { share: 0.4 }, { share: 1 }])).toEqual([{ share: 0.4 }, { share: 1 }])
})
