import { expect, test } from 'bun:test'
import { HeartbeatWheel } from './tally-streams.ts'

const PERIOD_MS = 15_000

test('every member has a turn in each period, and few have it at once', () => {
  const wheel = new HeartbeatWheel<number>(PERIOD_MS, 0)
  for (let i = 0; i < 10_000; i++) wheel.join(i)
  const turns = new Map<number, number>()
  let most = 0
  for (let now = 100; now <= 2 * PERIOD_MS; now += 100) {
    const due = [...wheel.turn(now)]
    most = Math.max(most, due.length)
    for (const member of due) turns.set(member, (turns.get(member) ?? 0) + 1)
  }
  expect(turns.size).toBe(10_000)
  expect(new Set(turns.values())).toEqual(new Set([2]))
  expect(most).toBeLessThan(200)
})

test('no member has a turn twice, and a member that has left has none', () => {
  const wheel = new HeartbeatWheel<string>(PERIOD_MS, 0)
  for (const name of ['a', 'b', 'c']) wheel.join(name)
  wheel.leave('b')
  wheel.leave('nobody')
  expect(wheel.size).toBe(2)
  expect([...wheel.turn(PERIOD_MS)].sort()).toEqual(['a', 'c'])
  expect([...wheel.turn(PERIOD_MS)]).toEqual([])
  expect([...wheel.members()].sort()).toEqual(['a', 'c'])
})

test('after a long pause every member has one turn, not many', () => {
  const wheel = new HeartbeatWheel<string>(PERIOD_MS, 0)
  for (const name of ['a', 'b', 'c']) wheel.join(name)
  expect([...wheel.turn(100 * PERIOD_MS)].sort()).toEqual(['a', 'b', 'c'])
})

test('members may leave during the turns', () => {
  const wheel = new HeartbeatWheel<number>(PERIOD_MS, 0)
  for (let i = 0; i < 1_000; i++) wheel.join(i)
  for (const member of wheel.turn(PERIOD_MS)) {
    wheel.leave(member)
    wheel.leave(999 - member)
  }
  expect(wheel.size).toBe(0)
})
