import { expect, test } from 'bun:test'
import { pagesOf, partsOf, usualPaper } from './sheet-layout.ts'

const codes = Array.from({ length: 1_225 }, (_, at) => String(at))

test('every code is on one slip, in order, with any number printed at once', () => {
  for (const slips of [24, 8]) {
    const parts = partsOf(codes.length, slips)
    const pages = parts.flatMap((part) => pagesOf(codes, slips, part))
    expect(pages.flat()).toEqual(codes)
    expect(pages.slice(0, -1).every((page) => page.length === slips)).toBe(true)
    expect(pages.at(-1)?.length).toBeGreaterThan(0)
  }
  expect(partsOf(codes.length, 24)).toEqual([
    { from: 1, to: 50 },
    { from: 51, to: 52 },
  ])
})

test('Letter is the paper of three countries', () => {
  expect(['en-US', 'fr-CA', 'es-MX', 'en-GB', 'de', 'pt-BR'].map(usualPaper)).toEqual([
    'letter',
    'letter',
    'letter',
    'a4',
    'a4',
    'a4',
  ])
})
