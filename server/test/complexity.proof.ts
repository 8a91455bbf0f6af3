import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { superlinearGrowth } from './complexity/growth.ts'
import { pairedKinds, plainKinds, sampleOf } from './complexity/kinds.ts'
import { parsers } from './complexity/parsers.ts'

// Runs alone: tests of other files before it would change what the same work costs.
// Each text is read several times, on a machine that may be busy.
setDefaultTimeout(120_000)

const SAMPLE = 15
/** Long enough to show a quadratic cost; `bench/proof/complexity.proof.ts` goes further. */
const LONGEST = 128 * 1024

describe('cost against length', () => {
  test('the measurement distinguishes quadratic growth from linear growth', () => {
    const make = (size: number) => 'a'.repeat(size)
    const costOf = (parse: (text: string) => unknown) => superlinearGrowth({ make, most: LONGEST, parse })
    expect(costOf((text) => text.match(/([\w-]+)\(/g))).not.toBeNull()
    expect(costOf((text) => text.replace(/a/g, (letter) => `${letter}b`))).toBeNull()
  })
})

describe.each(parsers.map((parser) => [parser.name, parser] as const))('%s', (_name, { grammar, most, parse }) => {
  test('parses repeated text in time that grows with its length', () => {
    for (const { name, make } of [
      ...sampleOf(plainKinds(grammar), SAMPLE),
      ...sampleOf(pairedKinds(grammar), SAMPLE),
    ]) {
      expect([name, superlinearGrowth({ make, most: Math.min(most, LONGEST), parse })]).toEqual([name, null])
    }
  })
})
