import { iso } from '../base/clock.ts'
import type { OptionName } from '../db/tables.ts'
import type { EventData } from './event-catalogue.ts'
import { payloadOf } from './payload.ts'

/**
 * Votes on one poll that were counted together. Votes come in thousands, so they share one row of the outbox, which stores
 * their common fields once. Fan-out turns them into separate events.
 */
export interface VotedTogether {
  readonly poll: EventData['poll.voted']['poll']
  readonly at: number
  /** The counts before the first of these votes. */
  readonly optionA: number
  readonly optionB: number
  readonly votes: (readonly [OptionName, respondentId: string])[]
}

export const packVoted = (voted: VotedTogether): string => JSON.stringify(voted)

export function unpackVoted(packed: string): string[] {
  const { poll, at, votes, ...counted } = JSON.parse(packed) as VotedTogether
  let { optionA, optionB } = counted
  const votedAt = iso(at)
  return votes.map(([option, respondentId]) => {
    if (option === 'A') optionA++
    else optionB++
    const tallies = { optionA, optionB, total: optionA + optionB }
    const data: EventData['poll.voted'] = { poll, option, votedAt, respondentId, tallies }
    return payloadOf({ type: 'poll.voted', at, data })
  })
}
