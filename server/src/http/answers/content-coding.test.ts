import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CODINGS, type Coding, preferredCoding } from './content-coding.ts'

const LONG = { offered: CODINGS, isShort: false }
const SHORT = { offered: CODINGS, isShort: true }

describe('the coding of an answer', () => {
  test.each<[string | null, Coding | null]>([
    [null, null],
    ['', null],
    ['identity', null],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['zstd, gzip', 'zstd'],
    ['deflate, compress', null],
    ['*', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.8, gzip;q=0.8, zstd;q=0.8', 'br'],
    ['gzip;q=1.0, *;q=0.5', 'gzip'],
    ['br;q=0, *', 'zstd'],
    ['br;q=0, zstd;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=0', null],
    ['*;q=0', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0.2, gzip;q=0.5', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0', null],
    ['identity;q=0, deflate', null],
    ['gzip ; q=0.5 , br ; q=0.4', 'gzip'],
    ['gzip;level=9;q=0.5, br;q=0.4', 'gzip'],
    ['gzip;q=2', null],
    ['gzip;q=0.1234, br;q=0.5', 'br'],
    ['gzip;q=, br', 'br'],
    [',,;q=1,', null],
    ['brotli', null],
  ])('for %p is %p', (header, coding) => {
    expect(preferredCoding(header, LONG)).toBe(coding)
  })

  test('of a short answer is identity, unless the client refuses that', () => {
    for (const header of [null, 'gzip', 'br, gzip, zstd', '*', 'identity;q=0']) {
      expect(preferredCoding(header, SHORT)).toBeNull()
    }
    expect(preferredCoding('gzip, identity;q=0', SHORT)).toBe('gzip')
    expect(preferredCoding('gzip, *;q=0', SHORT)).toBe('gzip')
    expect(preferredCoding('*, identity;q=0', SHORT)).toBe('br')
  })

  test('is the first one offered among codings that the client weighs equally', () => {
    const offered = ['gzip', 'br', 'zstd'] as const
    expect(preferredCoding('br, gzip, zstd', { offered, isShort: false })).toBe('gzip')
    expect(preferredCoding('br, gzip;q=0.9', { offered, isShort: false })).toBe('br')
  })

  test('is accepted by the header, for any header', () => {
    const word = fc.constantFrom('*', ...CODINGS, 'identity', ';q=0', ';q=0.5', ';q=1', ',', ' ', ';', 'q=')
    const header = fc.oneof(
      fc.string(),
      fc.array(word).map((words) => words.join('')),
    )
    fc.assert(
      fc.property(header, fc.boolean(), (text, isShort) => {
        const coding = preferredCoding(text, { offered: CODINGS, isShort })
        if (coding !== null) expect(text.toLowerCase().includes(coding) || text.includes('*')).toBe(true)
      }),
    )
  })

  test('ignores what the header lists past its 50th coding', () => {
    expect(preferredCoding(`${'x,'.repeat(49)}gzip`, LONG)).toBe('gzip')
    expect(preferredCoding(`${'x,'.repeat(50)}gzip`, LONG)).toBeNull()
  })
})
