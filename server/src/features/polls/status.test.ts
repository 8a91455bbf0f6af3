import { expect, test } from 'bun:test'
import { earliest, type Status, statusAt, statusChangesAt } from './status.ts'

const window = (opens_at: number | null, closes_at: number | null) => ({ opens_at, closes_at, archived_at: null })

// spec: 2.2-6, 3-1
test.each<[number | null, number | null, number, Status, number | null]>([
  [null, null, 0, 'open', null],
  [100, null, 99, 'scheduled', 100],
  [100, null, 100, 'open', null],
  [null, 200, 199, 'open', 200],
  [null, 200, 200, 'closed', null],
  [100, 200, 99, 'scheduled', 100],
  [100, 200, 100, 'open', 200],
  [100, 200, 199, 'open', 200],
  [100, 200, 200, 'closed', null],
  [0, 1, 0, 'open', 1],
  [-2, -1, -2, 'open', -1],
  [-2, 0, -1, 'open', 0],
  [0, null, -1, 'scheduled', 0],
])('open from %p, closed from %p: at %p it is %s until %p', (opens, closes, now, status, until) => {
  expect(statusAt(window(opens, closes), now)).toBe(status)
  expect(statusChangesAt(window(opens, closes), now)).toBe(until)
})

test.each([
  [null, null],
  [100, null],
  [null, 200],
  [100, 200],
] as const)('open from %p, closed from %p, archived: closed for ever', (opens, closes) => {
  for (const now of [0, 99, 100, 150, 199, 200, 300]) {
    expect(statusAt({ ...window(opens, closes), archived_at: 150 }, now)).toBe('closed')
    expect(statusChangesAt({ ...window(opens, closes), archived_at: 150 }, now)).toBeNull()
  }
})

test('a status changes at exactly the time announced for its change', () => {
  for (const [opens, closes] of [
    [3, 7],
    [3, null],
    [null, 7],
    [null, null],
  ] as const)
    for (let now = 0; now < 10; now++) {
      const until = statusChangesAt(window(opens, closes), now)
      for (let later = now; later < Math.min(until ?? 20, 20); later++)
        expect(statusAt(window(opens, closes), later)).toBe(statusAt(window(opens, closes), now))
      if (until !== null) expect(statusAt(window(opens, closes), until)).not.toBe(statusAt(window(opens, closes), now))
    }
})

test('the earliest of several times is found, also when some are null', () => {
  expect(earliest([])).toBeNull()
  expect(earliest([null, null])).toBeNull()
  expect(earliest([null, 5, 3, null, 4])).toBe(3)
  expect(earliest([0, 1])).toBe(0)
})
