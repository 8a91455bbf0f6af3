import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { Resvg } from '@resvg/resvg-wasm'
import { readyToDraw } from '../../../test/resvg.ts'
import { cardFont, FONT_FAMILY, FONT_PATH } from './font.ts'
import { linesOf, writable } from './lines.ts'

const font = cardFont()

describe('what can be written on a card', () => {
  test.each([
    ['Tea or coffee?', 'Tea or coffee?'],
    ['  Tea\n\tor\u00a0coffee\u2028? ', 'Tea or coffee ?'],
    ['Чай чи кава? Γεια · Tiếng Việt — “ok” … €', 'Чай чи кава? Γεια · Tiếng Việt — “ok” … €'],
    ['Tea 🍵', 'Tea'],
    ['👩‍👩‍👧 or 🇺🇦 or ☕️!', 'or or !'],
    ['1️⃣ first', '1 first'],
    ['a\u202eb\u200fc\u0000d\u0007e\ufeff', 'abc d e'],
    ['e\u0301', '\u00e9'],
    [`a${'\u0301'.repeat(60)}`, `\u00e1${'\u0301'.repeat(3)}`],
    ['</svg>&amp;', '</svg>&amp;'],
  ])('%j', (text, written) => {
    expect(writable(text, font)).toBe(written)
  })

  test.each(['お茶', '茶 or coffee', 'شاي', 'चाय', 'ชา', '茶🍵', '🍵', ' ', '\u{10ffff}', '\ue000'])(
    'not %j',
    (text) => {
      expect(writable(text, font)).toBeNull()
    },
  )

  test('has widths as what draws it has them', async () => {
    await readyToDraw()
    const fontBuffers = [await readFile(FONT_PATH)]
    for (const words of ['WWWWWWWWWW', 'iiiiiiiiii', 'чайчикава', 'ΓειασουΓεια', '0123456789']) {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="200"><text y="100" font-size="100" font-family="${FONT_FAMILY}">${words}</text></svg>`
      const drawn = new Resvg(svg, { font: { fontBuffers } }).innerBBox()?.width ?? 0
      const said = [...words].reduce((sum, letter) => sum + 100 * (font.widthOf(letter) ?? 0), 0)
      // Around the letters there is some room, and pairs of them may be set closer.
      expect([words, Math.abs(said - drawn) / said < 0.06]).toEqual([words, true])
    }
    expect(font.widthOf('茶')).toBeNull()
  })
})

describe('lines', () => {
  const room = { size: 10, width: 60, lines: 2 }
  const widest = (lines: readonly string[]) =>
    Math.max(...lines.map((line) => 10 * [...line].reduce((sum, letter) => sum + (font.widthOf(letter) ?? 0), 0)))

  test.each([
    ['Tea', ['Tea']],
    ['Tea or coffee?', ['Tea or', 'coffee?']],
    ['Tea or coffee or juice', ['Tea or', 'coffee or j…']],
    ['Donaudampfschiff', ['Donaudam', 'pfschiff']],
    ['WWWWWWWWWWWWWWWWWWWW', ['WWWWWW', 'WWWWW…']],
  ])('%s', (text, lines) => {
    expect(linesOf(text, font, room)).toEqual(lines)
    expect(widest(linesOf(text, font, room))).toBeLessThanOrEqual(room.width)
  })
})
