import { expect, test } from 'bun:test'
import { counted } from './counted.ts'

test.each([
  [0, '0 votes'],
  [1, '1 vote'],
  [2, '2 votes'],
  [1_000, '1000 votes'],
])('%d', (count, text) => {
  expect(counted(count, 'vote')).toBe(text)
})

test('an irregular plural', () => {
  expect([counted(1, 'entry', 'entries'), counted(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries'])
})
