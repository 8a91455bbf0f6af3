import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../../../embed/src/languages.ts'
import '../../../../embed/src/languages/all-languages.ts'
import { LANGS } from '../../../../embed/src/words.ts'
import type { ShapedText } from './card-drawer.ts'
import { type FACE_OF, faceNamed } from './faces.ts'
import { shapeTexts } from './shape-text.ts'
import { directionIn, faceOf, runsOf, wrapped, writable } from './text-lines.ts'

const faces = { theme: 'sans', han: 'chinese' } as const

const shaped = (text: string, fontStack: keyof typeof FACE_OF = 'SYSTEM', width = 2_000): ShapedText => {
  const [found] = shapeTexts([{ text, fontStack, width, fits: [{ size: 100, lines: 1 }] }])
  if (!found) throw new Error(`not shaped: ${text}`)
  return found
}
const outlines = (text: string): string[] => shaped(text).lines[0]?.glyphs.map(({ outline }) => outline) ?? []
const widthOf = (text: string): number => shaped(text).lines[0]?.width ?? 0

describe('what can be written on a card', () => {
  test.each([
    ['Tea or coffee?', 'Tea or coffee?'],
    ['  Tea\n\tor\u00a0coffee\u2028? ', 'Tea or coffee ?'],
    ['Чай чи кава? Γεια · Tiếng Việt — “ok” … €', 'Чай чи кава? Γεια · Tiếng Việt — “ok” … €'],
    ['Tea 🍵', 'Tea 🍵'],
    ['👩‍👩‍👧 or 🇺🇦 or ☕️!', '👩‍👩‍👧 or 🇺🇦 or ☕️!'],
    ['a\u202eb\u0000d\u0007e\ufeff', 'ab d e'],
    ['e\u0301', '\u00e9'],
    [`a${'\u0301'.repeat(60)}`, `\u00e1${'\u0301'.repeat(3)}`],
    ['</svg>&amp;', '</svg>&amp;'],
    ['お茶とコーヒー、どっち？', 'お茶とコーヒー、どっち？'],
    ['茶还是咖啡？', '茶还是咖啡？'],
    ['شاي أم قهوة؟ ١٢٣', 'شاي أم قهوة؟ ١٢٣'],
    ['चाय या कॉफ़ी?', 'चाय या कॉफ़ी?'.normalize('NFC')],
  ])('%j', (text, written) => {
    expect(writable(text, faces)).toBe(written)
  })

  test.each(['ชา', '차', ' ', '\u{10ffff}', '\ue000'])('not %j', (text) => {
    expect(writable(text, faces)).toBeNull()
  })

  test('is everything that we say in all our languages', () => {
    const said = Object.entries(LANGUAGES).flatMap(([lang, words]) =>
      Object.values(words).flatMap((word) => (typeof word === 'string' ? [[lang, word] as const] : [])),
    )
    expect(new Set(said.map(([lang]) => lang)).size).toBe(LANGS.length)
    expect(said.filter(([, word]) => writable(word, faces) === null)).toEqual([])
  })

  test('is written in the face of the theme, in Japanese where there is kana, and in whole emoji', () => {
    expect(faceOf('a', { ...faces, theme: 'serif' })).toBe('serif')
    expect(faceOf('茶', faces)).toBe('chinese')
    const found = [...'一骨の'].flatMap((letter) => [
      faceOf(letter, faces),
      faceOf(letter, { ...faces, han: 'japanese' }),
    ])
    expect(found).toEqual(['chinese', 'chinese', 'chinese', 'japanese', 'japanese', 'japanese'])
    // 骨 is written differently in Japan and in China.
    const bone = (beside: string) => shaped(`骨${beside}`).lines[0]?.glyphs[0]?.outline
    expect(bone('の')).not.toBe(bone(''))
    expect(outlines('👩‍👩‍👧')).toHaveLength(1)
    expect(shaped('a', 'MANROPE').lines[0]?.glyphs[0]?.outline).not.toBe(outlines('a')[0])
  })
})

describe('shaping', () => {
  test('joins Arabic letters, and writes them from the right', () => {
    const apart = [...'شاي'].reduce((sum, letter) => sum + widthOf(letter), 0)
    expect(widthOf('شاي')).toBeLessThan(0.9 * apart)
    expect([shaped('شاي').direction, shaped('Tea').direction]).toEqual(['rtl', 'ltr'])
    // The first letter is the rightmost one.
    const [last] = shaped('شا').lines[0]?.glyphs ?? []
    expect(last?.outline).toBe(outlines('بشا')[0] ?? '')
  })

  test('puts a vowel of Devanagari before its consonant, and gives each its room', () => {
    expect(outlines('कि')[1]).toBe(outlines('क')[0] ?? '')
    expect(widthOf('का')).toBeGreaterThan(1.2 * widthOf('क'))
  })

  test('orders words of both directions as a browser does', () => {
    expect(runsOf('قهوة espresso 12 شاي', 'rtl', faces).map(({ text }) => text.trim())).toEqual(
      ['شاي', '', 'espresso 12', '', 'قهوة'].map((text) => expect.stringMatching(new RegExp(`^${text}$`))),
    )
    expect(directionIn('(1) شاي')).toBe('rtl')
    expect(directionIn('1 tea شاي')).toBe('ltr')
  })

  test('reads only the faces that its letters need', () => {
    expect(faceNamed('sans')).toBe(faceNamed('sans'))
    expect(faceNamed('sans').has(0x8336)).toBe(false)
    expect(faceNamed('chinese').has(0x8336)).toBe(true)
  })
})

describe('lines', () => {
  const box = { width: 6, lines: 2, widthOf: (line: string) => widthOf(line) / 100 }

  test.each([
    ['Tea', ['Tea'], true],
    ['Tea or coffee?', ['Tea or', 'coffee?'], true],
    ['one two three four', ['one two', 'three four'], true],
    ['Tea or coffee or juice', ['Tea or', 'coffee or j…'], false],
    ['Donaudampfschiff', ['Donaudam', 'pfschiff'], false],
    ['WWWWWWWWWWWWWWWWWWWW', ['WWWWWW', 'WWWWW…'], false],
    ['お茶とコーヒー、どちら。', ['お茶と', 'コーヒー、…'], false],
  ])('%s', (text, lines, isWhole) => {
    const found = wrapped(text, box)
    expect(found).toEqual({ lines, isWhole })
    for (const line of found.lines) expect(box.widthOf(line)).toBeLessThanOrEqual(box.width)
  })

  test('are smaller where a text does not fit, and cut only in the smallest size', () => {
    const fits = [
      { size: 80, lines: 1 },
      { size: 40, lines: 2 },
    ]
    const sizes = ['Tea', 'Tea or coffee', 'Tea or coffee or something else entirely'].map((text) => {
      const [found] = shapeTexts([{ text, fontStack: 'SYSTEM', width: 300, fits }])
      return [found?.size, found?.lines.length]
    })
    expect(sizes).toEqual([
      [80, 1],
      [40, 1],
      [40, 2],
    ])
  })
})
