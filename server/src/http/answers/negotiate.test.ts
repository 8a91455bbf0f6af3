import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { preferredLang, preferredType } from './negotiate.ts'

test.each([
  [null, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
  ['xx, fr;q=0.5, de;q=0.7', 'de'],
  ['ar;q=0, ja;q=0.1', 'ja'],
  ['*', 'en'],
  ['xx;q=abc,;;q=,,', 'en'],
] as const)('%p is answered in %s', (asked, lang) => {
  expect(preferredLang(asked)).toBe(lang)
})

const JSON_TYPE = 'application/json'
const CSV = 'text/csv'
const LINES = 'application/x-ndjson'
const offered = [JSON_TYPE, CSV, LINES] as const

describe('what a client is given', () => {
  test.each([
    [null, JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['text/csv', CSV],
    ['TEXT/CSV', CSV],
    ['text/csv; charset=utf-8', CSV],
    ['text/*', CSV],
    ['application/x-ndjson', LINES],
    ['application/*', JSON_TYPE],
    ['text/csv, */*', CSV],
    ['*/*, text/csv;q=0.9', JSON_TYPE],
    ['text/csv;q=0.5, application/x-ndjson;q=0.6', LINES],
    ['text/csv;q=0.5 , application/json ; q=0.4', CSV],
    ['text/csv, application/json', JSON_TYPE],
    ['application/json;q=0, */*', CSV],
    ['*/*;q=0.1, application/x-ndjson;q=0.2, text/csv;q=0', LINES],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    ['text/csv;q=1.000', CSV],
    ['text/csv;q=0', null],
    ['application/xml', null],
    ['text/csv;q=2', null],
    ['text/csv;q=', null],
    ['csv', null],
    ['*/csv', null],
    [',,;q=1,', null],
  ])('%p is %p', (accept, type) => {
    expect(preferredType(accept, offered)).toBe(type as typeof CSV | null)
  })

  test('is one of the offers, or nothing, for any header', () => {
    const word = fc.constantFrom('*/*', ...offered, 'text/*', ';q=0.5', 'q=1', ',', ' ', 'x', '/', ';')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map((words) => words.join('')),
        ),
        (accept) => {
          expect([...offered, null]).toContain(preferredType(accept, offered))
        },
      ),
    )
  })
})
