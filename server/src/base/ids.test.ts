import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  isShortId,
  isUuid,
  newApiKeyId,
  newApiKeySecret,
  newOrderedUuid,
  newShortId,
  newToken,
  newUuid,
  slugFromTitle,
} from './ids.ts'

const SLUG = /^[a-z0-9-]{1,128}$/
const many = <Value>(make: () => Value): Value[] => Array.from({ length: 20_000 }, make)

describe('a short id', () => {
  // spec: 2.1-1, 8-6
  test('has 12 URL-safe characters, one in upper case, and is never a slug', () => {
    const ids = many(newShortId)
    for (const id of ids) expect(/^[A-Za-z0-9_-]{12}$/.test(id) && /[A-Z]/.test(id) && isShortId(id)).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(ids.join('')).size).toBe(64)
  })

  test('begins with no hyphen; one of an earlier version that does is still recognised', () => {
    for (const id of many(newShortId)) expect(id[0]).not.toBe('-')
    expect(isShortId('-Xk3_pQ9vZ2L')).toBe(true)
  })

  test('is recognised, and nothing else is', () => {
    for (const text of [
      '',
      'abcdefghijkl',
      'Abcdefghijk',
      'Abcdefghijklm',
      'Abcdefghijk!',
      'Äbcdefghijkl',
      'Abcdefghijkl\n',
    ]) {
      expect(isShortId(text)).toBe(false)
    }
  })
})

test('a slug from any title is a slug, ends in six characters of its own, and is no UUID or short id', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
      const slug = slugFromTitle(title)
      expect(slug).toMatch(SLUG)
      expect(slug).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?-[a-z0-9]{6}$/)
      expect(isUuid(slug) || isShortId(slug)).toBe(false)
    }),
  )
})

test('a slug is a transliteration of the title', () => {
  const stem = (title: string) => slugFromTitle(title).slice(0, -7)
  expect(stem('Tea or coffee?')).toBe('tea-or-coffee')
  expect(stem('Crème brûlée — ou ÎLE flottante')).toBe('creme-brulee-ou-ile-flottante')
  expect(stem('日本')).toBe('poll')
  expect(stem('---')).toBe('poll')
  expect(new Set(many(() => slugFromTitle('x'))).size).toBeGreaterThan(19_990)
})

// spec: 4.2-1, 4.2-2
test('keys and tokens have the shapes that the contract gives them', () => {
  expect(newApiKeyId()).toMatch(/^tai_[A-Za-z0-9_-]{24}$/)
  expect(newApiKeySecret()).toMatch(/^[0-9a-f]{64}$/)
  expect(newToken('tsa_')).toMatch(/^tsa_[A-Za-z0-9_-]{43}$/)
  expect(isUuid(newUuid())).toBe(true)
})

test('a UUID is recognised in any case, and with nothing around it', () => {
  const uuid = newUuid()
  expect(isUuid(uuid.toUpperCase())).toBe(true)
  for (const text of [`${uuid}\n`, ` ${uuid}`, uuid.replaceAll('-', ''), uuid.slice(1), `{${uuid}}`]) {
    expect(isUuid(text)).toBe(false)
  }
})

describe('an ordered UUID', () => {
  test('is a UUID of version 7 with its time', () => {
    const id = newOrderedUuid(Date.UTC(2022, 1, 22, 19, 22, 22))
    expect(id).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(isUuid(id)).toBe(true)
  })

  test('sorts after those made earlier, and never repeats', () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => newOrderedUuid(1_700_000_000_000 + i * 7))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(many(() => newOrderedUuid(5))).size).toBe(20_000)
  })

  test('treats a time before 1970 as 1970', () => {
    expect(newOrderedUuid(-5)).toStartWith('00000000-0000-7')
  })
})
