import { expect, test } from 'bun:test'
import { preferredLang } from './negotiate.ts'

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
