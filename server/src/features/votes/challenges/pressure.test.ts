import { expect, test } from 'bun:test'
import { HOUR, MINUTE } from '../../../base/clock.ts'
import type { Claim, Verdict } from '../../../http/limits/limits.ts'
import { Pressure } from './pressure.ts'

const POLL = 1
const START = 1_000 * HOUR
const nothingTaken = { taken: null }

const usedOf = (...used: readonly (readonly [used: number, quota: number])[]) => {
  const claims: Claim[] = used.map(([, quota]) => ({ quota: { policy: 'x', quota, windowSeconds: 60 }, key: 'x' }))
  const verdicts: Verdict[] = used.map(([count, quota]) => ({
    isAllowed: true,
    remaining: quota - count,
    resetSeconds: 1,
    receipt: 0,
  }))
  return { taken: { claims, verdicts } }
}

const voteAt = (pressure: Pressure, votes: number, now: number) => {
  for (let i = 0; i < votes; i++) pressure.noteVote(POLL, now)
}

test('grows with what a network has used of its limits, in any tier, and not with what a device has', () => {
  const pressure = new Pressure()
  const levels = [1, 30, 31, 61, 91, 120].map((count) => pressure.levelOf(POLL, usedOf([1, 10], [count, 120]), START))
  expect(levels).toEqual([0, 0, 1, 2, 3, 3])
  expect(pressure.levelOf(POLL, usedOf([1, 10], [1, 120], [400, 480]), START)).toBe(3)
  expect(pressure.levelOf(POLL, usedOf([10, 10], [1, 120]), START)).toBe(0)
  expect(pressure.levelOf(POLL, usedOf([1, 10]), START)).toBe(0)
})

test('grows with the votes of a poll beyond its usual ones', () => {
  const pressure = new Pressure()
  const levels: number[] = []
  for (const votes of [120, 1, 119, 1, 239, 1]) {
    voteAt(pressure, votes, START)
    levels.push(pressure.levelOf(POLL, nothingTaken, START))
  }
  expect(levels).toEqual([0, 1, 1, 2, 2, 3])
  expect(pressure.levelOf(2, nothingTaken, START)).toBe(0)
})

test('falls within a minute or two after the votes stop', () => {
  const pressure = new Pressure()
  voteAt(pressure, 1_000, START + MINUTE / 2)
  expect(pressure.levelOf(POLL, nothingTaken, START + MINUTE / 2)).toBe(3)
  expect(pressure.levelOf(POLL, nothingTaken, START + 1.5 * MINUTE)).toBe(3)
  expect(pressure.levelOf(POLL, nothingTaken, START + 2 * MINUTE)).toBe(0)
  expect(pressure.levelOf(POLL, nothingTaken, START + 5 * HOUR)).toBe(0)
})

test('is not under pressure by what has long been usual, and is by an attack of an hour', () => {
  const busy = new Pressure()
  const attacked = new Pressure()
  let now = START
  for (let minute = 0; minute < 60 * 12; minute++, now += MINUTE) voteAt(busy, 300, now)
  expect(busy.levelOf(POLL, nothingTaken, now)).toBe(0)
  for (let minute = 0; minute < 60; minute++, now += MINUTE) voteAt(attacked, 3_000, now)
  voteAt(attacked, 3_000, now)
  expect(attacked.levelOf(POLL, nothingTaken, now)).toBe(3)
})

test('survives a clock that is set back', () => {
  const pressure = new Pressure()
  voteAt(pressure, 200, START)
  voteAt(pressure, 10, START - HOUR)
  expect(pressure.levelOf(POLL, nothingTaken, START - HOUR)).toBe(0)
})
