import { expect, test } from 'bun:test'
import { padded } from './prepared.ts'

test('lists of keys have few lengths, and name the same keys', () => {
  const lengths = new Set<number>()
  for (let length = 1; length <= 1_200; length++) {
    const keys = Array.from({ length }, (_, i) => i)
    const list = padded(keys)
    expect([...new Set(list)]).toEqual(keys)
    lengths.add(list.length)
  }
  expect([...lengths]).toEqual([1, 10, 50, 200, 500, 1_000, 1_500])
  expect(padded([])).toEqual([])
})
