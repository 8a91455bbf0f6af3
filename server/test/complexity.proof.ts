import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { superlinearGrowth } from './complexity/growth.ts'
import { pairedKinds, plainKinds, sampleOf } from './complexity/kinds.ts'
import { parsers } from './complexity/parsers.ts'

setDefaultTimeout(3_600_000)

const PAIRS = 2_000
const LONGEST_PAIRS = 128 * 1024

describe.each(parsers.map((parser) => [parser.name, parser] as const))('%s', (_, { grammar, most, parse }) => {
  test('costs no more than its length, for every token and every nesting', () => {
    for (const { name: kind, make } of plainKinds(grammar)) {
      expect([kind, superlinearGrowth({ make, most, parse })]).toEqual([kind, null])
    }
  })

  test('costs no more than its length, for pairs of tokens', () => {
    for (const { name: kind, make } of sampleOf(pairedKinds(grammar), PAIRS)) {
      expect([kind, superlinearGrowth({ make, most: Math.min(most, LONGEST_PAIRS), parse })]).toEqual([kind, null])
    }
  })
})
