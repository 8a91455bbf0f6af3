import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { deterministicBox, randomKey } from '../base/secrets.ts'
import { Cursors, checkQuery, queryRules, readQuery } from './paging.ts'

const query = z.object({ status: z.enum(['all', 'open']).default('all'), tag: z.string().max(5).optional() })
const strict = queryRules({ query, isPaged: true })
const lax = queryRules({ query, isOutside: true })

const codes = (search: string, rules = strict) =>
  checkQuery(query, readQuery({ search }, rules)).problems.map(({ path, code }) => `${path} ${code}`)

describe('a query', () => {
  test('is parsed by the schema', () => {
    expect(checkQuery(query, readQuery({ search: '?tag=t%C3%A9a' }, strict))).toEqual({
      value: { status: 'all', tag: 'téa' },
      problems: [],
    })
    expect(codes('?')).toEqual([])
    expect(codes('?&&limit=5&&')).toEqual([])
  })

  test('names each fault once', () => {
    expect(codes('?tag=a&tag=b&tag=c')).toEqual(['tag duplicate_parameter'])
    expect(codes('?tag=toolong&tag=b')).toEqual(['tag duplicate_parameter'])
    expect(codes('?stats=open&stats=all&tag=%00')).toEqual(['stats unknown_parameter', 'tag nul_character'])
    expect(codes('?status=')).toEqual(['status invalid_value'])
  })

  test('is read up to its 50th parameter', () => {
    const filler = 'x&'.repeat(49)
    expect(codes(`?${filler}tag=toolong`)).toEqual(['x unknown_parameter', 'tag too_long'])
    expect(codes(`?${filler}x&tag=toolong`)).toEqual([' too_many_parameters', 'x unknown_parameter'])
  })

  test('of a page is read for known parameters', () => {
    expect(codes(`?${'x&'.repeat(100)}tag=a&limit=0`, lax)).toEqual([])
    expect(codes('?tag=a&tag=b', lax)).toEqual(['tag duplicate_parameter'])
    expect(codes(`?${'x&'.repeat(49)}tag=toolong`, lax)).toEqual(['tag too_long'])
    expect(codes(`?${'x&'.repeat(50)}tag=toolong`, lax)).toEqual([])
  })
})

const cursors = new Cursors(deterministicBox(randomKey()))
const position = fc.tuple(fc.oneof(fc.maxSafeNat(), fc.string()), fc.maxSafeNat())

describe('a cursor', () => {
  test('decodes to its position, for its own list only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), position, (list, other, at) => {
        const decoded = cursors.decode(cursors.encode(list, at))
        expect(decoded?.position).toEqual(at)
        expect(decoded?.belongsTo(list)).toBe(true)
        expect(decoded?.belongsTo(other)).toBe(list === other)
      }),
    )
  })

  test('is the same for the same input, and differs for any other', () => {
    const made = new Set<string>()
    for (let key = 0; key < 200; key++) {
      const cursor = cursors.encode('list', [1_700_000_000_000, key])
      expect(cursors.encode('list', [1_700_000_000_000, key])).toBe(cursor)
      made.add(cursor.slice(0, 8))
    }
    expect(made.size).toBe(200)
  })

  // spec: 4-4
  test('does not reveal its content', () => {
    // A fixed key: among random bytes, some text of two characters is there once in a thousand runs.
    const cursors = new Cursors(deterministicBox(new Uint8Array(32).fill(7)))
    const bytes = Buffer.from(cursors.encode('list', [1_700_000_000_000, 4_242_424_242]), 'base64url').toString(
      'latin1',
    )
    for (const shown of ['17000', '42424', '",']) expect(bytes).not.toContain(shown)
    // The bytes are evenly distributed: no byte value fills a noticeable part of many cursors.
    const counts = new Array<number>(256).fill(0)
    for (let key = 0; key < 2_000; key++) {
      for (const byte of Buffer.from(cursors.encode('list', [1_700_000_000_000, key]), 'base64url'))
        counts[byte] = (counts[byte] ?? 0) + 1
    }
    const mean = counts.reduce((sum, count) => sum + count) / 256
    expect(Math.max(...counts)).toBeLessThan(mean * 1.5)
    expect(Math.min(...counts)).toBeGreaterThan(mean * 0.6)
  })

  test('with any bit changed, or made with another key, is invalid', () => {
    const cursor = cursors.encode('list', [1, 2])
    const bytes = Buffer.from(cursor, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const copy = Buffer.from(bytes)
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(cursors.decode(copy.toString('base64url'))).toBeNull()
    }
    expect(new Cursors(deterministicBox(randomKey())).decode(cursor)).toBeNull()
    // Keys of each length, because the last base64url character may hold unused bits.
    for (const key of [1, 22, 333]) {
      const whole = cursors.encode('list', [1, key])
      for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
        const changed = whole.slice(0, -1) + last
        expect([changed, cursors.decode(changed) === null]).toEqual([changed, changed !== whole])
      }
    }
    fc.assert(fc.property(fc.string(), (text) => expect(cursors.decode(text)).toBeNull()))
  })
})
