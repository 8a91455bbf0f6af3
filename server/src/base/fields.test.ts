import { describe, expect, test } from 'bun:test'
import { nameOrNull, nameText, text } from './fields.ts'

const ZERO_WIDTH = ['\u00ad', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\u2064']

const codesOf = (value: string) =>
  nameText(1, 20)
    .safeParse(value)
    .error?.issues.map((issue) => (issue.code === 'custom' ? issue.params?.['code'] : issue.code)) ?? []

describe('a name', () => {
  test.each(ZERO_WIDTH.map((character) => [character.codePointAt(0)?.toString(16), character] as const))(
    'has no U+%s at its ends, where nobody sees it',
    (_, character) => {
      for (const value of [`${character}Tea`, `Tea${character}`, ` ${character}Tea`, `Tea${character} `, character])
        expect(codesOf(value)).toContain('zero_width_end')
      expect(codesOf(`T${character}ea`)).toEqual([])
    },
  )

  test.each(['Tea', ' Tea ', '👩‍👩‍👧', '❤️', 'می‌خواهم', 'שלום', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'])('may be %p', (value) => {
    expect(codesOf(value)).toEqual([])
  })

  test.each(['\u0007', '\u001b', '\n', '\t', '\u007f', '\u0085', '\u2028', '\u2029', '\u202d', '\u202e'])(
    'is one line, without %j',
    (character) => {
      expect(codesOf(`T${character}ea`)).toEqual(['forbidden_character'])
    },
  )

  test('is trimmed, and its length is that of the trimmed text', () => {
    expect(nameText(1, 3).parse('\n\u3000 Tea\t ')).toBe('Tea')
    expect([nameOrNull(' Tea '), nameOrNull(' '), nameOrNull('T\nea'), nameOrNull('x'.repeat(81))]).toEqual([
      'Tea',
      null,
      null,
      null,
    ])
  })

  test('is checked in time that grows with its length', () => {
    const most = 100_000
    // Processor time, because on a busy machine a check also waits for other programs.
    const before = process.threadCpuUsage()
    nameText(1, most).safeParse(`${'\u200b '.repeat(most / 2 - 1)}x`)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })
})

describe('a text of several lines', () => {
  test('may have line breaks and tabs, and is trimmed', () => {
    expect(text(1, 20).parse('\n Tea\r\n\tCoffee \n')).toBe('Tea\r\n\tCoffee')
  })

  test.each(['\u0007', '\u001b', '\u000b', '\u007f', '\u0085', '\u202d', '\u202e'])('has no %j', (character) => {
    expect(text(1, 20).safeParse(`T${character}ea`).success).toBe(false)
  })
})
