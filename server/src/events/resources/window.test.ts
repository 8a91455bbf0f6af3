import { expect, test } from 'bun:test'
import { isEmptyWindow } from './window.ts'

test.each([
  [1, 2, false],
  [1, 1, true],
  [2, 1, true],
  [0, -1, true],
  [null, 1, false],
  [1, null, false],
  [null, null, false],
  [undefined, undefined, false],
])('a window from %p to %p is empty: %p', (opensAt, closesAt, isEmpty) => {
  expect(isEmptyWindow({ opensAt, closesAt })).toBe(isEmpty)
})
