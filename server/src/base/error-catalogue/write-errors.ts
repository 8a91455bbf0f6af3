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
  CODE_REQUIRED: withoutDetails({
    status: 403,
    message: 'This poll asks for a code. Send it as "X-Vote-Code: CODE".',
    when: 'The `admission` of the poll is `code`, and the vote has no code.',
    remedy: 'Ask the voter for their code, and send the vote again with the header `X-Vote-Code`.',
  }),
  INVALID_CODE: withoutDetails({
    status: 403,
    message: 'This code does not vote on this poll.',
    when: 'The code is malformed, unknown, revoked or of another list: the answer does not tell which. After ten such votes a minute from one network, further ones are `RATE_LIMITED`.',
    remedy: 'Let the voter compare the code with what they were given, or ask whoever gave it to them for another one.',
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
    message: 'This device, or this code, has already voted on this poll.',
    when: 'The device has already voted on this poll, or, where the poll asks for a code, the code has. Each votes once per poll and cannot change its vote.',
    remedy: 'Show `details.existingVote`, unless it is null. Do not repeat the request.',
    details: z.object({
      existingVote: existingVote
        .nullable()
        .describe(
          'The earlier vote. It counts. Null if the code was used from another device: only that device is shown the vote.',
        ),
    }),
    example: { existingVote: { option: 'A', votedAt: '2026-01-31T12:00:00.000Z' } },
  }),
}

/** Errors of a brand's writes: idempotency keys, and conflicts with stored data. */
export const WRITE_ERRORS = {
  IDEMPOTENCY_KEY_REQUIRED: withoutDetails({
    status: 400,
    message: 'A write requires a key. Send "X-Service-Idempotency-Key: KEY", with a new UUID as KEY for each write.',
    when: 'A write under `/brands/me` lacks an idempotency key.',
    remedy: 'Send the header `X-Service-Idempotency-Key` with a new UUID for each write.',
  }),
  IDEMPOTENCY_KEY_INVALID: withDetails({
    status: 400,
    message: ({ maxLength }) =>
      `X-Service-Idempotency-Key must have 8 to ${maxLength} characters of A-Z a-z 0-9 . _ ~ -`,
    when: 'The idempotency key is too short, too long or contains invalid characters.',
    remedy: 'Send a key of 8 to `details.maxLength` characters of `A-Z a-z 0-9 . _ ~ -`, such as a UUID.',
    details: z.object({ maxLength: z.int().positive().describe('The maximum length of the key.') }),
    example: { maxLength: 255 },
  }),
  IDEMPOTENCY_KEY_REUSED: withoutDetails({
    status: 422,
    message: 'This idempotency key was already used for a different request.',
    when: 'The key was used in the last 24 hours with a different method, path or body.',
    remedy: 'Use a new key for each write. Reuse a key only to repeat the same request.',
  }),
  IDEMPOTENCY_IN_PROGRESS: withoutDetails({
    status: 409,
    message: 'A request with this idempotency key is still in progress.',
    when: 'Another request with the same key is still in progress.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, then repeat the request to get the answer of the first one.',
    headers: ['Retry-After'],
  }),
  SLUG_TAKEN: withDetails({
    status: 409,
    message: 'This slug is not available.',
    when: 'A poll of any brand has or had this slug. The answer does not tell whose poll, or in which state it is.',
    remedy:
      'Use `details.suggestion`, choose another slug, or omit the slug: the service then derives one from the title.',
    details: z.object({ suggestion: z.string().describe('A similar slug that is free.') }),
    example: { suggestion: 'tea-or-coffee-k3v9qa' },
  }),
  PRECONDITION_FAILED: withoutDetails({
    status: 412,
    message: 'The resource has changed since the ETag in If-Match was read.',
    when: 'No ETag in the `If-Match` of a PATCH or DELETE names the current version: the resource was changed in the meantime.',
    remedy: 'Read the resource again, apply the change to the current version, and send its ETag.',
  }),
  POLST_HAS_VOTES: withoutDetails({
    status: 409,
    message: 'A poll with votes cannot become a draft again, nor change who can vote.',
    when: 'The request sets `isDraft` on a poll that has votes, or changes its `codeListId`.',
    remedy: 'Archive the poll, or close it with `closesAt`, and create another one.',
  }),
  CAMPAIGN_NAME_TAKEN: withoutDetails({
    status: 409,
    message: 'This brand already has a campaign with this title.',
    when: 'Another campaign of the brand has this title. Titles are compared without regard to case.',
    remedy: 'Choose another title.',
  }),
  NAME_TAKEN: withoutDetails({
    status: 409,
    message: 'This brand already has a code list with this name.',
    when: 'Another code list of the brand has this name. Names are compared without regard to case.',
    remedy: 'Choose another name.',
  }),
  CODE_LIST_IN_USE: withoutDetails({
    status: 409,
    message: 'A poll asks for codes of this list.',
    when: 'The request deletes a code list that a poll names as its `codeListId`.',
    remedy: 'Delete the polls first, or set `codeListId` of those without votes to null.',
  }),
  WEBHOOK_DISABLED: withoutDetails({
    status: 409,
    message: 'This webhook is disabled and receives nothing.',
    when: 'A test event or a redelivery is requested for a webhook with the status `DISABLED`.',
    remedy: "Set the webhook's `status` to `ACTIVE` first.",
  }),
  APP_REVOKED: withoutDetails({
    status: 409,
    message: 'This app is revoked, and only its name can be changed.',
    when: 'The request revokes an app, or rotates its secret, that was revoked before.',
    remedy: 'Create another app.',
  }),
  LAST_OWNER: withoutDetails({
    status: 409,
    message: 'A brand needs an owner, and this is the last one.',
    when: 'The request removes the last owner of the brand, or gives them another role.',
    remedy: 'Make another member an owner first.',
  }),
  ALREADY_MEMBER: withoutDetails({
    status: 409,
    message: 'A member of the brand has this address already.',
    when: 'The invited address belongs to a member of the brand. Addresses are compared without regard to case.',
    remedy: "To change the member's role, use `PATCH /brands/me/members/{memberId}`.",
  }),
  INVALID_POLST_OWNERSHIP: withDetails({
    status: 400,
    message: 'Some of these polls cannot join a campaign of this brand.',
    when: 'A campaign names a poll that does not exist, belongs to another brand, is archived or was deleted.',
    remedy: 'Remove the ids in `details.foreignPolstIds`.',
    details: z.object({
      foreignPolstIds: z
        .array(z.string())
        .describe('The ids of the polls that cannot join, in the order of the request.'),
    }),
    example: { foreignPolstIds: ['5f0c2a4e-8a53-4f0b-9a49-0e2d0f7f8a11'] },
  }),
}
