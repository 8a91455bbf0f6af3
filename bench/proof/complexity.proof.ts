import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { superlinearGrowth } from '../../server/test/complexity/growth.ts'
import { pairedKinds, plainKinds, sampleOf } from '../../server/test/complexity/kinds.ts'
import { parsers } from '../../server/test/complexity/parsers.ts'

// Runs in a process of its own: it measures the processor time of its thread, and collecting the garbage of other files would change what the same work costs.

setDefaultTimeout(3_600_000)

const PAIRS = 1_000
const LONGEST_PAIRS = 128 * 1024

describe('cost against length', () => {
  test('the measurement distinguishes quadratic growth from linear growth', () => {
    const make = (size: number) => 'a'.repeat(size)
    const costOf = (parse: (text: string) => unknown) => superlinearGrowth({ make, most: LONGEST_PAIRS, parse })
    expect(costOf((text) => text.match(/([\w-]+)\(/g))).not.toBeNull()
    expect(costOf((text) => text.replace(/a/g, (letter) => `${letter}b`))).toBeNull()
  })
})

describe.each(parsers.map((parser) => [parser.name, parser] as const))('%s', (_, { grammar, most, parse }) => {
  test('reads every token and every nesting in time that grows with the length', () => {
    for (const { name: kind, make } of plainKinds(grammar)) {
      expect([kind, superlinearGrowth({ make, most, parse })]).toEqual([kind, null])
    }
  })

  test('reads pairs of tokens in time that grows with the length', () => {
    for (const { name: kind, make } of sampleOf(pairedKinds(grammar), PAIRS)) {
      expect([kind, superlinearGrowth({ make, most: Math.min(most, LONGEST_PAIRS), parse })]).toEqual([kind, null])
    }
  })
})
