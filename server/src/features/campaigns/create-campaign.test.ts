import { describe, expect, test } from 'bun:test'
import { foldedTitle } from './create-campaign.ts'

const LAST = 0x10ffff
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

/** Simple case folding, as implemented by the regular expression engine. */
const isSameLetter = (one: string, other: string): boolean =>
  new RegExp(`^\\u{${one.codePointAt(0)?.toString(16)}}$`, 'iu').test(other)

describe('a folded title', () => {
  test('is the same for every letter and its other cases', () => {
    const torn: string[] = []
    for (let code = 0; code <= LAST; code++) {
      if (isSurrogate(code)) continue
      const letter = String.fromCodePoint(code)
      const cases = [letter.toLowerCase(), letter.toUpperCase(), letter.normalize('NFD'), letter.normalize('NFC')]
      for (const other of new Set(cases)) {
        if (foldedTitle(`a${other}b`) !== foldedTitle(`a${letter}b`)) torn.push(`${code.toString(16)} ${other}`)
      }
    }
    expect(torn).toEqual([])
  })

  test('is the same wherever regular expressions ignore the case', () => {
    const byFold = new Map<string, string>()
    for (let code = 0; code <= LAST; code++) {
      if (isSurrogate(code)) continue
      const letter = String.fromCodePoint(code)
      const lower = letter.toLowerCase()
      if (lower !== letter && [...lower].length === 1 && isSameLetter(letter, lower)) byFold.set(letter, lower)
    }
    expect(byFold.size).toBeGreaterThan(1_300)
    for (const [letter, lower] of byFold) expect(foldedTitle(letter)).toBe(foldedTitle(lower))
  })

  test.each([
    ['Straße', 'STRASSE'],
    ['ẞ', 'ß'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['Ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ'],
    ['ﬁn', 'FIN'],
    ['Café', 'CAFE\u0301'],
    ['Å', 'å'],
    ['ᾳ', 'ΑΙ'],
    ['ŉ', 'ʼN'],
    ['İ', 'i\u0307'],
    ['ı', 'I'],
    ['𐐀', '𐐨'],
    ['Tea', ' \t\u00a0\u3000Tea\n '],
    ['①', '1'],
    ['Ａ', 'a'],
    ['ﬁ', 'FI'],
    ['ｶﾞ', 'ガ'],
    ['Tea\u00a0time', 'tea time'],
    ['q\u0323\u0307', 'Q\u0307\u0323'],
  ])('treats %s and %s as equal', (one, other) => {
    expect(foldedTitle(one)).toBe(foldedTitle(other))
  })

  test.each([
    ['Café', 'Cafe'],
    ['Tea time', 'Teatime'],
    ['Tea', '.Tea'],
    ['İ', 'I'],
    ['ö', 'oe'],
  ])('keeps %p and %p apart', (one, other) => {
    expect(foldedTitle(one)).not.toBe(foldedTitle(other))
  })

  test('is unchanged when folded again', () => {
    for (const title of ['Straße İı ΟΔΟΣ', 'ﬁ ŉ ᾼ ΐ', 'Ṩ ẛ̣', 'ᾞ ᾯ', '¨x', ' Ａ①', '\ufdfa'.repeat(120)]) {
      expect(foldedTitle(foldedTitle(title))).toBe(foldedTitle(title))
    }
  })

  test('fits an index, however many bytes its characters take', () => {
    for (const title of ['\ufdfa', '\u0390', '😀', '\u3316']) {
      expect(Buffer.byteLength(foldedTitle(title.repeat(120)))).toBeLessThan(2_500)
    }
    expect(foldedTitle('ŉ'.repeat(120))).toHaveLength(240)
  })
})
