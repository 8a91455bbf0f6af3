import { z } from 'zod'
import { timestamp } from '../fields.ts'
import { withDetails, withoutDetails } from './entry.ts'

const existingVote = z
  .object({
    option: z.enum(['A', 'B']).describe('The option that the device voted for.'),
    votedAt: timestamp.describe('When the device voted.'),
  })
  .meta({ id: 'ExistingVote', description: 'The earlier vote of the device. It counts.' })

const challenge = z
  .object({
    algorithm: z.literal('SHA-256').describe('The hash function.'),
    challenge: z.string().describe('The hash to find, in hexadecimal.'),
    salt: z.string().describe('The text that is hashed before the number. It ends the challenge after 120 seconds.'),
    signature: z.string().describe('Shows that the challenge is ours. Send it back unchanged.'),
    maxnumber: z.int().positive().describe('The largest number that it can be.'),
  })
  .meta({ id: 'Challenge', description: 'A challenge in the format of ALTCHA: find the number.' })

/** Refused votes. */
export const VOTE_ERRORS = {
  ORIGIN_NOT_ALLOWED: withoutDetails({
    status: 403,
    message: 'The brand of this poll takes no votes from pages of this origin.',
    when: 'The theme of the brand lists `embedOrigins`, and the vote comes from a page whose `Origin` is neither in that list nor the service itself.',
    remedy:
      "Add the origin of your page to `embedOrigins` of the brand's theme. Servers and native apps send no `Origin`.",
  }),
  CHALLENGE_REQUIRED: withDetails({
    status: 403,
    message: 'This vote requires the solution of a challenge.',
    when: 'The poll asks for proof of work, and the request has no solution, or one that is wrong, late, or of another device or poll.',
    remedy:
      'Find the number for which the SHA-256 of `salt` followed by the number is `challenge`, and send the vote again within 120 seconds with `X-Challenge-Solution`: the Base64 of `{"algorithm", "challenge", "number", "salt", "signature"}` as JSON. The client library and the embeds do so on their own.',
    details: z.object({ challenge: challenge.describe('What to solve. It is for this device and this poll.') }),
    example: {
      challenge: {
        algorithm: 'SHA-256',
        challenge: '9f8a4a2cdb9b3bb47e3fd4ad1e5cdd5e26a1a8ff9ef4ce62d4f9a2c4ef0ea9c4',
        salt: '5f2c1d9e?expires=1769860920&for=Zk3_pQ9vZ2LmXk3_&',
        signature: '0c6f0f1a4d1d2f0be0a4a9a2a0a6e2f1c8a0a0d3b94b1d5a3c7e9f1b2d4c6e8f',
        maxnumber: 50_000,
      },
    },
  }),
  // The word of the specification for a poll, which clients depend on: see docs/spec-audit.md.
  POLST_CLOSED: withDetails({
    status: 409,
    message: 'This poll is not open for votes.',
    when: 'The poll has closed, has not opened yet or is archived.',
    remedy: 'Show the results. If `details.status` is `scheduled`, offer the poll again at its `opensAt`.',
    details: z.object({
      status: z.enum(['open', 'closed', 'scheduled']).describe('The current status of the poll.'),
      archived: z.literal(true).optional().describe('Present if the brand has archived the poll.'),
      existingVote: existingVote.optional().describe("The device's earlier vote, if it has one."),
    }),
    example: { status: 'closed' },
  }),
  VOTE_ALREADY_CAST: withDetails({
    status: 409,
    message: 'This device has already voted on this poll.',
    when: 'The device has already voted on this poll. A device votes once per poll and cannot change its vote.',
    remedy: 'Show `details.existingVote`. Do not repeat the request.',
    details: z.object({ existingVote: existingVote.describe("The device's earlier vote. It counts.") }),
    example: { existingVote: { option: 'A', votedAt: '2026-01-31T12:00:00.000Z' } },
  }),
}
