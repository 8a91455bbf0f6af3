import { expect, test } from 'bun:test'
import { Repeats } from './repeats.ts'

/** Seconds that end when the test decides. */
function setUp(allowed?: { first: number; again: number }) {
  const ends: (() => void)[] = []
  const repeats = new Repeats(allowed, (work) => void ends.push(work))
  const lines: string[] = []
  const warn = (message: string, detail = '', requestId?: string) => {
    const isFirst = repeats.isAmongFirst({ message, detail, requestId }, ({ repeated, requestIds }) => {
      lines.push([message, detail, repeated, ...requestIds].join(' '))
    })
    if (isFirst) lines.push([message, detail].join(' '))
  }
  const endSecond = () => {
    for (const end of ends.splice(0)) end()
  }
  return { repeats, lines, warn, endSecond, pending: () => ends.length }
}

test('the first line of a cause is written at once, later ones as one count a second, until a second without one', () => {
  const { lines, warn, endSecond, pending } = setUp()
  for (let i = 0; i < 5; i++) warn('away', 'x', `r${i}`)
  expect(lines.splice(0)).toEqual(['away x'])
  endSecond()
  expect(lines.splice(0)).toEqual(['away x 4 r1 r2 r3 r4'])
  warn('away', 'x', 'r5')
  expect(lines).toEqual([])
  endSecond()
  expect(lines.splice(0)).toEqual(['away x 1 r5'])
  endSecond()
  expect([lines.splice(0), pending()]).toEqual([[], 0])
  warn('away', 'x')
  expect(lines).toEqual(['away x'])
})

test('a cause does not suppress the lines of another one', () => {
  const { lines, warn, endSecond } = setUp()
  warn('away', 'x')
  warn('away', 'y')
  warn('full', 'x')
  warn('away', 'y')
  endSecond()
  expect(lines).toEqual(['away x', 'away y', 'full x', 'away y 1'])
})

test('beyond a hundred causes at once the message alone is the cause', () => {
  const { lines, warn, endSecond } = setUp()
  for (let i = 0; i < 5_000; i++) warn('odd', String(i))
  expect(lines).toHaveLength(101)
  endSecond()
  expect(lines).toHaveLength(102)
  expect(lines.at(-1)).toMatch(/^odd \d+ 4899$/)
})

test('a count names at most a thousand requests, and counts them all', () => {
  const { lines, warn, endSecond } = setUp()
  for (let i = 0; i < 4_001; i++) warn('away', '', `r${i}`)
  endSecond()
  const [message, , repeated, ...requestIds] = (lines[1] ?? '').split(' ')
  expect([message, repeated, requestIds.length]).toEqual(['away', '4000', 1_000])
})

test('held lines are written when the log is flushed, once', () => {
  const { repeats, lines, warn, endSecond } = setUp()
  for (let i = 0; i < 3; i++) warn('away')
  repeats.flush()
  repeats.flush()
  endSecond()
  expect(lines).toEqual(['away ', 'away  2'])
})

test('where a few lines are allowed, so many are written in each second, and then the count of the others', () => {
  const { lines, warn, endSecond, pending } = setUp({ first: 3, again: 2 })
  for (let i = 0; i < 5; i++) warn('refused', String(i % 1), `r${i}`)
  expect(lines.splice(0)).toEqual(['refused 0', 'refused 0', 'refused 0'])
  endSecond()
  expect(lines.splice(0)).toEqual(['refused 0 2 r3 r4'])
  for (let i = 0; i < 3; i++) warn('refused', '0')
  expect(lines.splice(0)).toEqual(['refused 0', 'refused 0'])
  endSecond()
  expect(lines.splice(0)).toEqual(['refused 0 1'])
  for (let i = 0; i < 2; i++) warn('refused', '0')
  endSecond()
  expect([lines.splice(0), pending()]).toEqual([['refused 0', 'refused 0'], 0])
})
