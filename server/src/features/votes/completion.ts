import type { StepPoll } from '../../db/vote-store.ts'

/**
 * Whether a device had completed a campaign with these polls. It needs a vote on each poll that it could have voted on since its
 * first vote there, but none on polls that opened later or had closed before.
 */
export function isCompleteAt(polls: readonly StepPoll[], at: number): boolean {
  const votes = polls.flatMap(({ voted_at }) => voted_at ?? [])
  const startedAt = Math.min(...votes)
  if (startedAt > at) return false
  return polls.every(({ opens_at, closes_at, voted_at }) => {
    if (voted_at !== null && voted_at <= at) return true
    return (opens_at !== null && opens_at > at) || (closes_at !== null && closes_at <= startedAt)
  })
}

/**
 * Whether the votes of the time `now` complete the campaign for the first time. Votes that were committed before them may have a later
 * time: two servers take the time under the locks of different polls, and then wait for one another.
 */
export function completesAt(polls: readonly StepPoll[], now: number): boolean {
  const before = polls.map((poll) => (poll.voted_at === now ? { ...poll, voted_at: null } : poll))
  return wasEverComplete(polls) && !wasEverComplete(before)
}

const wasEverComplete = (polls: readonly StepPoll[]): boolean =>
  polls.some(({ voted_at }) => voted_at !== null && isCompleteAt(polls, voted_at))
