import { expect, test } from 'bun:test'
import { middleOf, occupiedMicroseconds, withShare } from './day-capacity.ts'

const alone = { perSecond: 10_000, microseconds: 50, share: 1 }

test('a server that gets half of its core stores half, and each vote occupies the core for twice the time', () => {
  const half = withShare(alone, 0.5)
  expect(half.perSecond).toBe(5_000)
  expect(occupiedMicroseconds(alone)).toBe(50)
  expect(occupiedMicroseconds(half)).toBe(100)
  expect(withShare(half, 1)).toEqual(alone)
})

test('a vote occupies the core for no longer than votes/s allow', () => {
  expect(occupiedMicroseconds({ ...alone, perSecond: 40_000 })).toBe(25)
})

test('the middle of two capacities is that of all figures', () => {
  expect(middleOf([withShare(alone, 0.5), alone])).toEqual({ perSecond: 7_500, microseconds: 50, share: 0.75 })
})
