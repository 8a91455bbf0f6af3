import { describe, expect, test } from 'bun:test'
import { readCode } from './read-code.ts'

const CODE = 'K7QM-2F8X-9RTA'

describe('a code', () => {
  test.each([
    CODE,
    'k7qm2f8x9rta',
    ' K7QM 2F8X 9RTA\n',
    'K7QM–2F8X—9RTA',
    'K7QM\u00ad2F8X\u200b9RTA',
    '\u202aK7QM-2F8X-9RTA\u202c',
    'Ｋ７ＱＭ２Ｆ８Ｘ９ＲＴＡ',
    `https://polls.example.com/p/Xy12ab34CD56#code=${CODE}`,
    'HTTP-S://POLLS.EXAMPLE.COM/P/X#CODE=K7QM-2F8X-9RTA',
  ])('is read as it was typed or pasted: %s', (text) => {
    expect(readCode(text)).toEqual({ shown: CODE, code: CODE, wrong: undefined, length: 12 })
  })

  test('takes the letters that look like digits for them', () => {
    expect(readCode('il0o-OLI1-0000').code).toBe('1100-0111-0000')
  })

  test('is shown in groups while it grows, without a hyphen at the end', () => {
    expect(['', 'k', 'k7qm', 'k7qm2', 'k7qm-2f8x-'].map((text) => readCode(text).shown)).toEqual([
      '',
      'K',
      'K7QM',
      'K7QM-2',
      'K7QM-2F8X',
    ])
  })

  test.each([
    ['K7QM-2F8X-9RT', 11],
    ['K7QM-2F8X-9RTA-7', 13],
    ['', 0],
  ])('of another length is none: %s', (text, length) => {
    expect(readCode(text)).toMatchObject({ code: null, wrong: undefined, length })
  })

  test.each([
    ['K7QM-2U8X-9RTA', 'U'],
    ['K7QM-2é8X-9RTA', 'É'],
    ['K7QM_2F8X', '_'],
    ['К7QM', 'К'],
    ['😀', '😀'],
  ])('with a character that is in none stays as it was typed: %s', (text, wrong) => {
    expect(readCode(text)).toMatchObject({ shown: text, code: null, wrong })
  })
})
