import { expect, test } from 'bun:test'
import { memoise } from './memoise.ts'

const asked: string[] = []
const find = memoise(
  (text) => {
    asked.push(text)
    return { of: text }
  },
  ({ of }) => !of.includes('bad'),
)
const timesAsked = (text: string) => {
  asked.length = 0
  find(text)
  find(text)
  return asked.length
}

test('computes a value once if it may be kept, and each time if it may not or the text is long', () => {
  expect(timesAsked('good')).toBe(1)
  expect(timesAsked('bad')).toBe(2)
  expect(timesAsked('x'.repeat(129))).toBe(2)
  expect(find('good')).toEqual({ of: 'good' })
  expect(find('good')).toBe(find('good'))
})

test('drops values before it grows too large, and still returns the right ones', () => {
  for (let i = 0; i < 5_001; i++) find(`text ${i}`)
  expect(timesAsked('text 0')).toBe(1)
  expect(timesAsked('text 5000')).toBe(0)
})
