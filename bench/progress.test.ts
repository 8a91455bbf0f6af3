import { expect, test } from 'bun:test'
import { progressLine } from './progress.ts'

test('the progress bar shows the remaining time', () => {
  expect(progressLine({ done: 0, total: 10, seconds: 0 })).toBe(`[${'.'.repeat(30)}] 0 %`)
  expect(progressLine({ done: 5, total: 10, seconds: 65 })).toBe(`[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %, 1:05 left`)
  expect(progressLine({ done: 12, total: 10, seconds: 9 })).toBe(`[${'#'.repeat(30)}] 100 %`)
})
