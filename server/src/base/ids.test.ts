import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isShortId, isUuid, newApiKeyId, newApiKeySecret, newShortId, newToken, newUuid, slugFromTitle } from './ids.ts'

const SLUG = /^[a-z0-9-]{1,128}$/
const many = <Value>(make: () => Value): Value[] => Array.from({ length: 20_000 }, make)

describe('a short id', () => {
  test('has 12 URL-safe characters, one in upper case, and is never a slug', () => {
    const ids = many(newShortId)
    for (const id of ids) expect(/^[A-Za-z0-9_-]{12}$/.test(id) && /[A-Z]/.test(id) && isShortId(id)).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(ids.join('')).size).toBe(64)
  })

  test('is told from what is none', () => {
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

test('a slug says what the title says', () => {
  const stem = (title: string) => slugFromTitle(title).slice(0, -7)
  expect(stem('Tea or coffee?')).toBe('tea-or-coffee')
  expect(stem('Crème brûlée — ou ÎLE flottante')).toBe('creme-brulee-ou-ile-flottante')
  expect(stem('日本')).toBe('poll')
  expect(stem('---')).toBe('poll')
  expect(new Set(many(() => slugFromTitle('x'))).size).toBeGreaterThan(19_990)
})

test('keys and tokens have the shapes that the contract gives them', () => {
  expect(newApiKeyId()).toMatch(/^tai_[A-Za-z0-9_-]{24}$/)
  expect(newApiKeySecret()).toMatch(/^[0-9a-f]{64}$/)
  expect(newToken('tsa_')).toMatch(/^tsa_[A-Za-z0-9_-]{43}$/)
  expect(isUuid(newUuid())).toBe(true)
})

test('a UUID is one in any case, and nothing around it', () => {
  const uuid = newUuid()
  expect(isUuid(uuid.toUpperCase())).toBe(true)
  for (const text of [`${uuid}\n`, ` ${uuid}`, uuid.replaceAll('-', ''), uuid.slice(1), `{${uuid}}`]) {
    expect(isUuid(text)).toBe(false)
  }
})
