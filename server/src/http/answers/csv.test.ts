import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvLine } from './export.ts'

/** Parses one record by the grammar of RFC 4180. */
function cellsOf(line: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/.exec(rest)
    if (!match) throw new Error(`not a record: ${JSON.stringify(rest)}`)
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    rest = rest.slice(match[0].length)
    if (match[3] !== ',') return cells
  }
}

describe('a line of CSV', () => {
  test('has commas between and CRLF behind, and quotes where they are needed', () => {
    expect(csvLine(['a', 1, 'b c'])).toBe('a,1,b c\r\n')
    expect(csvLine(['a,b', 'say "x"', 'two\nlines', ''])).toBe('"a,b","say ""x""","two\nlines",\r\n')
  })

  test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx'])('%j is no formula to a spreadsheet', (text) => {
    expect(cellsOf(csvLine([text]))).toEqual([`'${text}`])
  })

  test('an id of ours is written as it is, also after a hyphen', () => {
    expect(csvLine([{ id: '-Ab_9' }, { id: 'x' }])).toBe('-Ab_9,x\r\n')
  })

  test('a number is a number, also below zero', () => {
    expect(csvLine([-5, 0])).toBe('-5,0\r\n')
  })

  test('can be read back with any text in its cells', () => {
    const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', '=', 'a') }))
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const read = cellsOf(csvLine(cells))
        expect(read.map((text) => text.replace(/^'(?=[=+\-@\t\r])/, ''))).toEqual(
          cells.map((text) => text.replace(/^'(?=[=+\-@\t\r])/, '')),
        )
      }),
    )
  })
})
