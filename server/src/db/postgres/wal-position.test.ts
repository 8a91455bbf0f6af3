import { describe, expect, test } from 'bun:test'
import { bytesBehind } from './wal-position.ts'

const PAGE = 8_192

describe('how far a standby is behind', () => {
  test.each([
    ['a standby that has applied all', 5_000, 5_000, 0],
    ['one that has more', 6_000, 5_000, 0],
    ['one that lacks a record', 4_992, 5_000, 8],
    // The next record of the primary would begin behind the header of a page, and there is none yet.
    ['one that has applied a full page', 3 * PAGE, 3 * PAGE + 24, 0],
    ['one that has applied a full file', 3 * PAGE, 3 * PAGE + 40, 0],
    ['one that lacks the end of a page', 3 * PAGE - 8, 3 * PAGE + 24, 8],
    ['one that lacks the first record of a page', 3 * PAGE, 3 * PAGE + 48, 48],
  ])('%s', (_, standby, primary, behind) => {
    expect(bytesBehind({ bytes: standby }, { bytes: primary })).toBe(behind)
  })
})
