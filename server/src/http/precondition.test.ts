import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../base/errors.ts'
import { readIfMatch, type Version, versionedTag } from './precondition.ts'

/** 'fine', or the status of the refusal. */
function outcome(header: string | null, version: Version): string | number {
  try {
    readIfMatch(header)?.(version)
    return 'fine'
  } catch (error) {
    return error instanceof AppError ? error.status : String(error)
  }
}

const tag = versionedTag('2026-01-31T12:00:00.000Z', { votes: 1 })
const later = versionedTag('2026-01-31T12:00:00.001Z', { votes: 1 })

describe('If-Match', () => {
  test('compares versions and ignores the rest of the ETag', () => {
    expect(outcome(tag, '2026-01-31T12:00:00.000Z')).toBe('fine')
    expect(outcome(versionedTag('2026-01-31T12:00:00.000Z', { votes: 2 }), '2026-01-31T12:00:00.000Z')).toBe('fine')
    expect(outcome(later, '2026-01-31T12:00:00.000Z')).toBe(412)
    expect(versionedTag('v', { votes: 1 })).not.toBe(versionedTag('v', { votes: 2 }))
    expect(versionedTag(['a', 'b'], 1)).not.toBe(versionedTag(['ab'], 1))
    expect(tag).toMatch(/^"[\w-]{11}\.[\w-]{11}"$/)
  })

  test.each([
    ['*', 'fine'],
    [' * ', 'fine'],
    [null, 'fine'],
    [`${later}, ${tag}`, 'fine'],
    [`"other",${tag}`, 'fine'],
    [tag.replace(/"$/, '-br"'), 'fine'],
    [`W/${tag}`, 412],
    ['"other"', 412],
    ['""', 412],
    [tag.replace('.', ''), 412],
    [tag.slice(0, 12).concat('"'), 412],
    ['W/"a", "b"', 412],
  ])('of %s is %s', (header, expected) => {
    expect(outcome(header, '2026-01-31T12:00:00.000Z')).toBe(expected)
  })

  test.each([
    '',
    ' ',
    ',',
    'a',
    '"',
    '"a',
    'a"',
    'w/"a"',
    'W/a',
    'W/ "a"',
    '"a" "b"',
    '"a";"b"',
    '*, "a"',
    '**',
    '"a b"',
    "'a'",
    tag.slice(1, -1),
  ])('of %j is malformed', (header) => {
    expect(outcome(header, 'v')).toBe(422)
  })

  test('of any text is a match, a failure or malformed', () => {
    const part = fc.constantFrom('"', 'W/', ',', ' ', '*', 'a', '\t', tag)
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(['fine', 412, 422]).toContain(outcome(parts.join(''), 'v'))
      }),
    )
  })
})
