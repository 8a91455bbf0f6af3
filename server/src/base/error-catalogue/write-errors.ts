import { z } from 'zod'
import { withDetails, withoutDetails } from './entry.ts'

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
    when: 'No ETag in the `If-Match` of a PATCH names the current version: the resource was changed in the meantime.',
    remedy: 'Read the resource again, apply the change to the current version, and send its ETag.',
  }),
  POLST_HAS_VOTES: withoutDetails({
    status: 409,
    message: 'A poll with votes cannot become a draft again.',
    when: 'The request sets `isDraft` on a poll that has votes.',
    remedy: 'Archive the poll, or close it with `closesAt`.',
  }),
  CAMPAIGN_NAME_TAKEN: withoutDetails({
    status: 409,
    message: 'This brand already has a campaign with this title.',
    when: 'Another campaign of the brand has this title. Titles are compared without regard to case.',
    remedy: 'Choose another title.',
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
