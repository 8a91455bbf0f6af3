import { expect, test } from 'bun:test'
import { en } from './en.ts'
import { completed, WORDS } from './words.ts'

test('a language has its own words', () => {
  expect(WORDS.en).toBe(en)
  expect(WORDS.de.errors.home).toBe('Startseite')
  expect(WORDS.de.home.docs[0]).toBe('Dokumentation')
})

test('a missing translation falls back to English, at any depth', () => {
  const words = completed(en, { errors: { home: 'Etusivu', gone: { poll: 'Kyselyä ei löydy' } } })
  expect(words.errors.home).toBe('Etusivu')
  expect(words.errors.gone).toEqual({ ...en.errors.gone, poll: 'Kyselyä ei löydy' })
  expect(words.errors.busy).toEqual(en.errors.busy)
  expect(words.home).toEqual(en.home)
})
