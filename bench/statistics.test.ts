import { expect, test } from 'bun:test'
import { median, medianRatio, percentile } from './statistics.ts'

test('percentiles are measured values', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
  expect([0, 1, 50, 99, 100].map((percent) => percentile(hundred, percent))).toEqual([1, 1, 50, 99, 100])
  expect(percentile([7], 99)).toBe(7)
  expect(percentile([], 50)).toBeNaN()
})

test('the median of an even count lies between the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([1, 2, 4, 100])).toBe(3)
  expect(median([])).toBeNaN()
})

test('a ratio compares what was measured in the same round', () => {
  // One slow round slows both subjects: the ratio of the medians would be 1.
  expect(medianRatio([50, 10, 50], [100, 20, 50])).toBe(0.5)
  expect(medianRatio([1], [])).toBeNaN()
})
