import { describe, expect, test } from 'bun:test'
import type { StepPoll } from '../../db/vote-store.ts'
import { completesAt } from './completion.ts'

const poll = (voted_at: number | null, opens_at: number | null = null, closes_at: number | null = null): StepPoll => ({
  opens_at,
  closes_at,
  voted_at,
})

describe('a vote completes a campaign', () => {
  test('with the last poll that it could have voted on, and only once', () => {
    expect(completesAt([poll(1), poll(null)], 1)).toBe(false)
    expect(completesAt([poll(1), poll(2)], 2)).toBe(true)
    expect(completesAt([poll(1), poll(null, 3)], 1)).toBe(true)
    expect(completesAt([poll(1), poll(3, 3)], 3)).toBe(false)
    expect(completesAt([poll(2), poll(null, null, 2)], 2)).toBe(true)
  })

  // Two servers read the time under the locks of different polls, and wait for one another afterwards.
  test('also where a vote of a later time was committed before it, and then only once', () => {
    expect(completesAt([poll(12), poll(null)], 12)).toBe(false)
    expect(completesAt([poll(12), poll(10)], 10)).toBe(true)
    // When the vote of the time 12 was committed, the poll of the other had closed before it.
    expect(completesAt([poll(12), poll(null, null, 11)], 12)).toBe(true)
    expect(completesAt([poll(12), poll(10, null, 11)], 10)).toBe(false)
    // The vote of the time 10 was complete by itself.
    expect(completesAt([poll(12, 11), poll(null)], 12)).toBe(false)
    expect(completesAt([poll(12, 11), poll(10)], 10)).toBe(true)
  })
})
