import { expect, test } from 'bun:test'
import { comparisonIn, partsOf, searchOf } from './comparison.ts'

test('the address holds the whole comparison', () => {
  const periods = [
    { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 8) },
    { from: Date.UTC(2026, 0, 8), to: Date.UTC(2026, 0, 15) },
  ] as const
  const comparison = { mode: 'periods', polls: ['one'], periods } as const
  expect(comparisonIn(searchOf(comparison))).toEqual(comparison)
})

test('an address that was edited has defaults in the place of nonsense', () => {
  const { mode, polls, periods } = comparisonIn({ mode: 1, polls: 'a,b,,a,c,d,e,f,g', periods: 'x,y' })
  expect([mode, polls]).toEqual(['polls', ['a', 'b', 'c', 'd', 'e', 'f']])
  expect(periods[0].to).toBe(periods[1].from)
  expect(periods[1].to - periods[0].from).toBe(14 * 86_400_000)
})

const HOUR = 3_600_000
const at = (text: string) => Date.parse(`2026-${text}Z`)

test('a period is counted to the minute, in whole buckets that meet without a gap', () => {
  const short = { from: at('01-01T10:37'), to: at('01-01T10:40') }
  expect(partsOf(short)).toEqual([{ bucket: 'minute', ...short }])
  for (const [from, to] of [
    [at('01-01T10:37'), at('01-08T10:38')],
    [at('01-01T10:00'), at('01-08T10:00')],
    [at('01-01T10:37'), at('12-30T23:59')],
    [at('01-01T00:00'), at('12-31T00:00')],
  ] as const) {
    const parts = partsOf({ from, to }).sort((one, other) => one.from - other.from)
    expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, to])
    for (const [index, part] of parts.entries()) {
      const length = { minute: HOUR / 60, hour: HOUR, day: 24 * HOUR }[part.bucket]
      expect([part.from % length, part.to % length]).toEqual([0, 0])
      expect(part.to - part.from).toBeLessThanOrEqual(2_000 * length)
      if (index > 0) expect(part.from).toBe(parts[index - 1]?.to ?? 0)
    }
  }
})
