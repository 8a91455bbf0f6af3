import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { superlinearGrowth } from './complexity/growth.ts'
import { pairedKinds, plainKinds, sampleOf } from './complexity/kinds.ts'
import { parsers } from './complexity/parsers.ts'

// Each text is read several times, on a machine that may do something else.
setDefaultTimeout(120_000)

const SAMPLE = 15
/** Enough for a quadratic cost to show; `complexity.proof.ts` goes further. */
const LONGEST = 128 * 1024

describe('cost against length', () => {
  test('tells quadratic from linear', () => {
    const make = (size: number) => 'a'.repeat(size)
    const costOf = (parse: (text: string) => unknown) => superlinearGrowth({ make, most: LONGEST, parse })
    expect(costOf((text) => text.match(/([\w-]+)\(/g))?.ratio).toBeGreaterThan(40)
    expect(costOf((text) => text.replace(/a/g, (letter) => `${letter}b`))).toBeNull()
  })
})

describe.each(parsers.map((parser) => [parser.name, parser] as const))('%s', (_name, { grammar, most, parse }) => {
  test('costs no more than its length, whatever is repeated', () => {
    for (const { name, make } of [
      ...sampleOf(plainKinds(grammar), SAMPLE),
      ...sampleOf(pairedKinds(grammar), SAMPLE),
    ]) {
      expect([name, superlinearGrowth({ make, most: Math.min(most, LONGEST), parse })]).toEqual([name, null])
    }
  })
})
