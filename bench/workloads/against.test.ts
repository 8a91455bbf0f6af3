import { expect, test } from 'bun:test'
import { costsOf, medianRatio } from '../statistics.ts'

const costs = (...cpu: (number | null)[]) => costsOf(cpu.map((each) => ({ cpu: each })))

test('a round has two samples of each side, and its cost is their mean', () => {
  expect(costs(10, 14, 30, 10)).toEqual([12, 20])
  expect(costs(10, null)).toEqual([Number.NaN])
})

test('drift within a round favours no side: theirs, ours, ours, theirs', () => {
  const [theirs, ours] = [costs(10, 16, 20, 26), costs(12, 14, 22, 24)]
  expect(medianRatio(theirs, ours)).toBe(1)
  expect(medianRatio(costs(30, 30), costs(20, 20))).toBe(1.5)
})
