import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { attachment } from './content-disposition.ts'

const named = (title: string | null) => attachment({ plain: 'voters-tea', kind: 'voters', title, suffix: 'csv' })

/** The name that a browser stores, by RFC 8187. */
function shownName(header: string): string | null {
  const [, encoded] =
    /^attachment; filename="voters-tea\.csv"; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(header) ?? []
  return encoded === undefined ? null : decodeURIComponent(encoded)
}

test.each([
  ['Tea or coffee?', 'voters - Tea or coffee.csv'],
  ['Say "yes" or \'no\' (now*)', "voters - Say yes or 'no' (now ).csv"],
  ['../../etc/passwd\\x', 'voters - .. .. etc passwd x.csv'],
  ['🍵 oder 👩‍👩‍👧?', 'voters - 🍵 oder 👩‍👩‍👧.csv'],
  ['شاي أم قهوة؟', 'voters - شاي أم قهوة؟.csv'],
  ['a\u202etxt.exe\r\nSet-Cookie: x', 'voters - a txt.exe Set-Cookie x.csv'],
  ['100% %41', 'voters - 100% %41.csv'],
])('%j names the file %j', (title, name) => {
  expect(shownName(named(title))).toBe(name)
})

test('a file without a title, or with one that leaves nothing, has the plain name alone', () => {
  for (const title of [null, '', '???', '\u202e']) expect(named(title)).toBe('attachment; filename="voters-tea.csv"')
})

test('a very long title is cut between characters, within what a file system holds', () => {
  const name = shownName(named('👩‍👩‍👧'.repeat(200))) ?? ''
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
  expect(name).toMatch(/^voters - (👩‍👩‍👧)+\.csv$/u)
})

test('is one line of ASCII for any title, and the name can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (title) => {
      const header = named(title)
      expect(header).toMatch(/^[\x20-\x7e]+$/)
      const name = shownName(header) ?? ''
      expect(name).not.toMatch(/[/\\:*?"<>|\p{Cc}]/u)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    }),
  )
})
