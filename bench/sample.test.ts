import { expect, test } from 'bun:test'
import { checksOf, checkVotes, expectedVotes, isRightSample, type Sample } from './sample.ts'

const result = { requests: 1000, seconds: 1, refused: 0, broken: 0, votesSent: 1040, p50: 1, p99: 2 }
const onlyVotes = { reads: 0, votes: 1 }
const stored = (rows: number, tallies = rows) => ({ rows, tallies })

test('answered votes count as acknowledged, and votes in flight may be stored', () => {
  expect(expectedVotes(result, onlyVotes)).toEqual({ least: 1000, most: 1040 })
  expect(expectedVotes({ ...result, refused: 10 }, onlyVotes).least).toBe(990)
  expect(expectedVotes(result, { reads: 19, votes: 1 })).toEqual({ least: 975, most: 1040 })
})

test('the votes of a run are compared with the rows that it added', () => {
  const expected = { least: 1000, most: 1040 }
  expect(checkVotes(expected, stored(5), stored(1005))).toEqual({ problem: null, acknowledged: 1000, cutOff: 0 })
  expect(checkVotes(expected, stored(5), stored(1045))).toEqual({ problem: null, acknowledged: 1000, cutOff: 40 })
  expect(checkVotes(expected, stored(5), stored(1004)).problem).toBe('1 ACKNOWLEDGED ARE LOST')
  expect(checkVotes(expected, stored(5), stored(1046)).problem).toBe('1 MORE THAN SENT')
  expect(checkVotes(expected, stored(5), stored(1005, 1006)).problem).toBe('TALLIES SAY 1006, ROWS 1005')
})

const sample: Sample = { perSecond: 1, p50: 1, p99: 1, cpu: null, memory: null, votes: null, failed: 0 }
const voted = (problem: string | null): Sample => ({ ...sample, votes: { problem, acknowledged: 1000, cutOff: 3 } })

test('the table sums up the rounds and shows the first error', () => {
  expect(checksOf([sample])).toBe('')
  expect(checksOf([voted(null), voted(null)])).toBe('all 2,000, +6 cut off')
  expect(checksOf([voted(null), voted('1 ACKNOWLEDGED ARE LOST')])).toBe('1 ACKNOWLEDGED ARE LOST')
  expect(checksOf([{ ...sample, failed: 2 }])).toBe('2 REQUESTS FAILED')
  expect([sample, voted(null), voted('x'), { ...sample, failed: 1 }].map(isRightSample)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
