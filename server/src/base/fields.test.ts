import { describe, expect, test } from 'bun:test'
import { nameText } from './fields.ts'

const ZERO_WIDTH = ['\u00ad', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\u2064', '\ufeff']

const codesOf = (value: string) =>
  nameText(1, 20)
    .safeParse(value)
    .error?.issues.map((issue) => (issue.code === 'custom' ? issue.params?.['code'] : issue.code)) ?? []

describe('a name', () => {
  test.each(ZERO_WIDTH.map((character) => [character.codePointAt(0)?.toString(16), character] as const))(
    'has no U+%s at its ends, where nobody sees it',
    (_, character) => {
      for (const value of [`${character}Tea`, `Tea${character}`, ` ${character}Tea`, `Tea${character} `, character])
        expect(codesOf(value)).toContain(value.trim() === '' ? 'too_short' : 'zero_width_end')
      expect(codesOf(`T${character}ea`)).toEqual([])
    },
  )

  test.each(['Tea', ' Tea ', '👩‍👩‍👧', '❤️', 'می‌خواهم', 'שלום', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'])('may be %p', (value) => {
    expect(codesOf(value)).toEqual([])
  })

  test('is checked in time that grows with its length', () => {
    const most = 100_000
    const started = performance.now()
    nameText(1, most).safeParse(`${'\u200b '.repeat(most / 2 - 1)}x`)
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
