import { describe, expect, test } from 'bun:test'
import { Cache, memoise } from './cache.ts'

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

const keysOf = (cache: Cache<number, string>) => [...cache.entries()].map(([key]) => key)

describe('a cache', () => {
  test('holds at most its capacity, however many entries are added', () => {
    const cache = new Cache<number, string>(10)
    for (let key = 0; key < 1_000; key++) {
      cache.set(key, `value ${key}`)
      expect(cache.weight).toBeLessThanOrEqual(10)
    }
    expect(cache.get(999)).toBe('value 999')
    expect(cache.get(0)).toBeUndefined()
  })

  test('keeps an entry that is read in each generation while many others are added', () => {
    const cache = new Cache<number, string>(10)
    cache.set(-1, 'hot')
    for (let key = 0; key < 1_000; key++) {
      cache.set(key, 'cold')
      expect(cache.get(-1)).toBe('hot')
    }
  })

  test('never drops more than half of its entries at once', () => {
    const cache = new Cache<number, string>(100)
    let before = 0
    for (let key = 0; key < 1_000; key++) {
      cache.set(key, '')
      expect(cache.weight).toBeGreaterThanOrEqual(Math.min(before, 50))
      before = cache.weight
    }
  })

  test('replaces and deletes in both generations', () => {
    const cache = new Cache<number, string>(4)
    for (const key of [1, 2, 3]) cache.set(key, 'first')
    cache.set(1, 'second')
    expect([cache.get(1), cache.get(2), cache.get(3)]).toEqual(['second', 'first', 'first'])
    cache.delete(1)
    cache.delete(2)
    cache.delete(4)
    expect(keysOf(cache)).toEqual([3])
    expect(cache.weight).toBe(1)
    cache.clear()
    expect([keysOf(cache), cache.weight]).toEqual([[], 0])
  })

  test('can limit its weight, and does not keep an entry heavier than half of that', () => {
    const cache = new Cache<number, string>(10, (value) => value.length)
    cache.set(1, 'aaa')
    cache.set(2, 'bbb')
    expect(keysOf(cache)).toEqual([1, 2])
    cache.set(2, 'c'.repeat(6))
    expect(keysOf(cache)).toEqual([1])
    for (let key = 3; key < 100; key++) {
      cache.set(key, 'd'.repeat(1 + (key % 5)))
      expect(cache.weight).toBeLessThanOrEqual(10)
    }
  })

  test('remembers null as a value of its own', () => {
    const cache = new Cache<string, null>(2)
    cache.set('gone', null)
    expect(cache.get('gone')).toBeNull()
    expect(cache.get('never')).toBeUndefined()
  })
})
