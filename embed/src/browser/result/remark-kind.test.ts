import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type RemarkKind, remarkKindOf } from './remark-kind.ts'

const kindOf = (mine: number, others: number, side: 'A' | 'B' = 'A') => {
  const [optionA, optionB] = side === 'A' ? [mine, others] : [others, mine]
  return remarkKindOf({ tallies: { optionA, optionB, total: mine + others } }, side)
}

/** The claim of each kind, written out a second time in whole numbers. */
const CLAIMS: Readonly<Record<RemarkKind, (mine: number, others: number) => boolean>> = {
  firstVote: (mine, others) => mine === 1 && others === 0,
  roundCount: (mine, others) => [2, 3, 4, 5, 6, 7, 8, 9].some((power) => mine + others === 10 ** power),
  deadHeat: (mine, others) => mine === others,
  oneApart: (mine, others) => mine + 1 === others || others + 1 === mine,
  onlyOne: (mine, others) => mine === 1 && others > 1,
  amongFew: (mine, others) => mine + others >= 20 && 100 * mine < 15 * (mine + others),
  amongMost: (mine, others) => mine + others >= 20 && 100 * mine > 85 * (mine + others),
}

describe('the kind of a result', () => {
  test.each<[number, number, RemarkKind | null]>([
    [1, 0, 'firstVote'],
    [2, 0, null],
    [1, 1, 'deadHeat'],
    [1, 2, 'oneApart'],
    [2, 1, 'oneApart'],
    [1, 3, 'onlyOne'],
    [3, 1, null],
    [19, 0, null],
    [20, 0, 'amongMost'],
    [2, 17, null],
    [2, 18, 'amongFew'],
    [3, 17, null],
    [17, 3, null],
    [18, 3, 'amongMost'],
    [18, 2, 'amongMost'],
    [15, 86, 'amongFew'],
    [16, 86, null],
    [50, 50, 'roundCount'],
    [60, 39, null],
    [60, 41, null],
    [1, 99, 'roundCount'],
    [400, 600, 'roundCount'],
    [500, 501, 'oneApart'],
    [4_000, 4_000, 'deadHeat'],
    [1_000, 1_000, 'deadHeat'],
    [0, 0, null],
    [0, 7, null],
  ])('of %i against %i is %p, from either side', (mine, others, kind) => {
    expect([kindOf(mine, others, 'A'), kindOf(mine, others, 'B')]).toEqual([kind, kind])
  })

  test('is never one whose claim is false', () => {
    const count = fc.oneof(fc.integer({ min: 0, max: 130 }), fc.integer({ min: 0, max: 2_000_000 }))
    // Round totals and narrow leads are rare among random counts.
    const pair = fc.oneof(
      fc.tuple(count, count),
      fc
        .tuple(fc.constantFrom(100, 1_000, 10_000, 1_000_000), fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([total, part]): [number, number] => [Math.round(part * total), total - Math.round(part * total)]),
      fc.tuple(count, fc.integer({ min: -2, max: 2 })).map(([n, by]): [number, number] => [n, Math.max(0, n + by)]),
    )
    fc.assert(
      fc.property(pair, ([mine, others]) => {
        const kind = kindOf(mine, others)
        return kind === null || (mine > 0 && CLAIMS[kind](mine, others))
      }),
      { numRuns: 5_000 },
    )
  })

  test('is there for each claim that holds, unless another comes before it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 300 }), (mine, others) => {
        const holds = Object.values(CLAIMS).some((claim) => claim(mine, others))
        return holds === (kindOf(mine, others) !== null)
      }),
      { numRuns: 3_000 },
    )
  })

  test('is none where the results are hidden', () => {
    expect(remarkKindOf({ tallies: { optionA: 1, optionB: 0, total: 1, hidden: true } }, 'A')).toBeNull()
  })
})
