import { z } from 'zod'
import { timestamp } from '../fields.ts'
import { withDetails } from './entry.ts'

const existingVote = z
  .object({
    option: z.enum(['A', 'B']).describe('The option that the device voted for.'),
    votedAt: timestamp.describe('When the device voted.'),
  })
  .meta({ id: 'ExistingVote', description: 'The vote that the device cast earlier. It stands.' })

/** Votes that are refused. */
export const VOTE_ERRORS = {
  POLST_CLOSED: withDetails({
    status: 409,
    message: 'This poll takes no votes now.',
    when: 'The poll has closed, has not opened yet or is archived.',
    remedy: 'Show the results. Where `details.status` is `scheduled`, offer the poll again from its `opensAt` on.',
    details: z.object({
      status: z.enum(['open', 'closed', 'scheduled']).describe('The status of the poll, by the clock.'),
      archived: z.literal(true).optional().describe('Present where the brand has archived the poll.'),
      existingVote: existingVote.optional().describe("The device's earlier vote, if it has one."),
    }),
    example: { status: 'closed' },
  }),
  VOTE_ALREADY_CAST: withDetails({
    status: 409,
    message: 'This device has already voted on this poll.',
    when: 'The device has a vote on this poll. A device votes once, and its vote cannot be changed.',
    remedy: 'Show `details.existingVote`. Do not repeat the request.',
    details: z.object({ existingVote: existingVote.describe("The device's earlier vote. It stands.") }),
    example: { existingVote: { option: 'A', votedAt: '2026-01-31T12:00:00.000Z' } },
  }),
}
