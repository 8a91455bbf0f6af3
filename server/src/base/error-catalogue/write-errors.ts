import { z } from 'zod'
import { withDetails, withoutDetails } from './entry.ts'

/** Writes of a brand: their idempotency keys, and conflicts with what is stored. */
export const WRITE_ERRORS = {
  IDEMPOTENCY_KEY_REQUIRED: withoutDetails({
    status: 400,
    message: 'This request needs the header X-Service-Idempotency-Key.',
    when: 'A write under `/brands/me` has no idempotency key.',
    remedy: 'Send the header `X-Service-Idempotency-Key` with a new UUID for each write.',
  }),
  IDEMPOTENCY_KEY_INVALID: withDetails({
    status: 400,
    message: ({ maxLength }) => `X-Service-Idempotency-Key takes 8 to ${maxLength} characters of A-Z a-z 0-9 . _ ~ -`,
    when: 'The idempotency key is too short, too long or has characters that are not allowed.',
    remedy: 'Send a key of 8 to `details.maxLength` characters of `A-Z a-z 0-9 . _ ~ -`. A UUID is one.',
    details: z.object({ maxLength: z.int().positive().describe('The most characters that the route takes.') }),
    example: { maxLength: 255 },
  }),
  IDEMPOTENCY_KEY_REUSED: withoutDetails({
    status: 422,
    message: 'This idempotency key was used for another request.',
    when: 'The key was used within the last 24 hours with another method, path or body.',
    remedy: 'Use a new key for each write. Send the same key only to repeat the same request.',
  }),
  IDEMPOTENCY_IN_PROGRESS: withoutDetails({
    status: 409,
    message: 'A request with this idempotency key is still running.',
    when: 'Another request with the same key has not ended yet.',
    remedy: 'Wait for the seconds of `Retry-After` and repeat the request: the answer is then that of the first one.',
    headers: ['Retry-After'],
  }),
  SLUG_TAKEN: withoutDetails({
    status: 409,
    message: 'This slug is taken.',
    when: 'Another poll has this slug, or had it before it was deleted.',
    remedy: 'Choose another slug, or leave it out: the service then makes one from the title.',
  }),
  PRECONDITION_FAILED: withoutDetails({
    status: 412,
    message: 'This has changed since the ETag in If-Match: read it again and decide anew.',
    when: 'A PATCH with `If-Match`, and no ETag in it names the present version: somebody else has changed the resource.',
    remedy: 'Read the resource again, apply the change to what it is now, and send the new ETag.',
  }),
  POLST_HAS_VOTES: withoutDetails({
    status: 409,
    message: 'A poll that has votes cannot become a draft again.',
    when: 'A change sets `isDraft` on a poll that has votes.',
    remedy: 'Archive the poll, or close it with `closesAt`.',
  }),
  CAMPAIGN_NAME_TAKEN: withoutDetails({
    status: 409,
    message: 'This brand has a campaign with this name already.',
    when: 'Another campaign of the brand has this title. Upper and lower case count as the same.',
    remedy: 'Choose another title.',
  }),
  INVALID_POLST_OWNERSHIP: withDetails({
    status: 400,
    message: 'Not all of these are polls of this brand that can join a campaign.',
    when: 'A campaign names a poll that does not exist, belongs to another brand, is archived or was deleted.',
    remedy: 'Leave out the ids of `details.foreignPolstIds`.',
    details: z.object({
      foreignPolstIds: z.array(z.string()).describe('The ids that cannot join, in the order of the request.'),
    }),
    example: { foreignPolstIds: ['5f0c2a4e-8a53-4f0b-9a49-0e2d0f7f8a11'] },
  }),
}
