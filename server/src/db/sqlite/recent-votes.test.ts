import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fitsInEntry, RecentVotes } from './recent-votes.ts'

const MOST_POSITION = 2 ** 32 - 1

function positionsOf(filter: RecentVotes, print: number): number[] {
  const positions: number[] = []
  for (let place = filter.first(print); place >= 0; place = filter.next(print, place)) {
    positions.push(filter.positionAt(place))
  }
  return positions
}

/** Many share a print or a place, also beyond the end of the array. */
const print = fc.oneof(
  fc.integer({ min: 0, max: MOST_POSITION }),
  fc.constantFrom(0, 1, MOST_POSITION, MOST_POSITION - 1, 2 ** 31, 2 ** 31 + 1),
)
const entries = fc.array(fc.tuple(print, fc.integer({ min: 1, max: MOST_POSITION })), { maxLength: 300 })

test('every entry is found by its print, and no other, while the filter grows', () => {
  fc.assert(
    fc.property(entries, (added) => {
      const filter = new RecentVotes()
      for (const [each, position] of added) filter.add(each, position)
      const byPrint = Map.groupBy(added, ([each]) => each)
      for (const [each, own] of byPrint) {
        expect(positionsOf(filter, each).toSorted()).toEqual(own.map(([, position]) => position).toSorted())
        const stranger = (each ^ 0x5a5a_5a5a) >>> 0
        if (!byPrint.has(stranger)) expect(filter.first(stranger)).toBe(-1)
      }
      filter.clear()
      for (const each of byPrint.keys()) expect(filter.first(each)).toBe(-1)
    }),
  )
})

test('a filter grows for what it has, and is empty once it was cleared', () => {
  const filter = new RecentVotes()
  const printAt = (at: number): number => Math.imul(at, 0x9e3779b1) >>> 0
  for (let round = 0; round < 2; round++) {
    for (let at = 1; at <= 20_000; at++) filter.add(printAt(at), at)
    expect(filter.places).toBe(2 ** 15)
    for (let at = 1; at <= 20_000; at++) expect(positionsOf(filter, printAt(at))).toEqual([at])
    filter.clear()
    for (let at = 1; at <= 20_000; at++) expect(filter.first(printAt(at))).toBe(-1)
  }
})

test('a filter that finds no memory to grow keeps what it has', () => {
  const filter = new RecentVotes()
  const printAt = (at: number): number => Math.imul(at, 0x9e3779b1) >>> 0
  const most = 0.75 * 2 ** 12
  for (let at = 1; at <= most; at++) filter.add(printAt(at), at)
  const whole = globalThis.Uint32Array
  globalThis.Uint32Array = class {
    constructor() {
      throw new RangeError('Out of memory')
    }
  } as unknown as typeof Uint32Array
  try {
    expect(() => filter.add(printAt(most + 1), most + 1)).toThrow('Out of memory')
  } finally {
    globalThis.Uint32Array = whole
  }
  for (let at = 1; at <= most; at++) expect(positionsOf(filter, printAt(at))).toEqual([at])
  filter.add(printAt(most + 1), most + 1)
  for (let at = 1; at <= most + 1; at++) expect(positionsOf(filter, printAt(at))).toEqual([at])
})

test.each([
  [0, false],
  [-1, false],
  [1, true],
  [MOST_POSITION, true],
  [MOST_POSITION + 1, false],
])('whether position %i fits: %p', (position, fits) => {
  expect(fitsInEntry(position)).toBe(fits)
})
