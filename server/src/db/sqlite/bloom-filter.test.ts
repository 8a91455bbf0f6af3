import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BloomFilter } from './bloom-filter.ts'

const print = fc.integer({ min: 0, max: 2 ** 32 - 1 })

test('a set has every print that was added, however small it is', () => {
  fc.assert(
    fc.property(fc.array(print, { maxLength: 300 }), fc.integer({ min: 1, max: 5_000 }), (prints, bits) => {
      const set = BloomFilter.ofBits(bits)
      for (const each of prints) set.add(each)
      const chunks = Array.from({ length: set.chunks }, (_, at) => set.chunk(at).slice())
      for (const each of prints) expect([set.has(each), BloomFilter.ofChunks(chunks).has(each)]).toEqual([true, true])
    }),
  )
})

test('a set of several chunks is the same when it was stored', () => {
  const set = BloomFilter.ofBits(2_000_000)
  const printAt = (at: number): number => Math.imul(at, 0x9e3779b1) >>> 0
  for (let at = 0; at < 100_000; at++) set.add(printAt(at))
  expect(set.chunks).toBe(4)
  const stored = BloomFilter.ofChunks(Array.from({ length: set.chunks }, (_, at) => set.chunk(at).slice()))
  for (let at = 0; at < 200_000; at++) expect(stored.has(printAt(at))).toBe(set.has(printAt(at)))
})

test('at 16 bits a print, a set has few that were not added', () => {
  const count = 100_000
  const set = BloomFilter.ofBits(16 * count)
  const printAt = (at: number): number => Math.imul(at, 0x9e3779b1) >>> 0
  for (let at = 0; at < count; at++) set.add(printAt(at))
  let wrong = 0
  for (let at = count; at < 2 * count; at++) if (set.has(printAt(at))) wrong++
  expect(wrong / count).toBeLessThan(0.005)
})
