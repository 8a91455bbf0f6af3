import { z } from 'zod'
import { withDetails, withoutDetails } from './entry.ts'

/** Failures of the service itself. */
export const SERVICE_ERRORS = {
  INTERNAL: withoutDetails({
    status: 500,
    message: 'Internal error. Try again later.',
    when: 'An unexpected failure in the service.',
    remedy:
      'Repeat the request later. If it fails again, send the `requestId` to the operator, who finds the cause in the log.',
  }),
  UNAVAILABLE: withoutDetails({
    status: 503,
    message: 'The service is temporarily unavailable. Try again shortly.',
    when: 'The database is unreachable, a queue is full, or the server is stopping.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, then repeat the request. Votes and writes with an idempotency key are safe to repeat.',
    headers: ['Retry-After'],
  }),
}

export const fieldProblem = z
  .object({
    path: z.string().describe('The path of the field, separated by dots; empty for the request as a whole.'),
    code: z.string().describe('The problem as a code, for programs.'),
    message: z.string().describe('The problem and the allowed values, for people.'),
    line: z.int().positive().optional().describe('In a stylesheet: the line, from 1.'),
    column: z.int().positive().optional().describe('In a stylesheet: the column, from 1.'),
  })
  .meta({ id: 'FieldProblem', description: 'A field that the service refused.' })

/** Requests that cannot be parsed, or that do not match the route's schemas. */
export const REQUEST_ERRORS = {
  MALFORMED_JSON: withoutDetails({
    status: 400,
    message: 'The body is not valid JSON.',
    when: 'The body is empty, is not valid JSON or is not encoded in UTF-8.',
    remedy: 'Send one JSON object in UTF-8.',
  }),
  VALIDATION_ERROR: withDetails({
    status: 422,
    message: ({ fields: [first, ...others] }) =>
      first?.path && others.length === 0 ? `${first.path}: ${first.message}` : 'The request is not valid.',
    when: 'A field in the path, query, headers or body is missing, unknown or invalid. The status is 400 if `limit` or `cursor` is invalid, otherwise 422.',
    remedy: 'Correct each field in `details.fields`, then send the request again.',
    details: z.object({
      fields: z.array(fieldProblem).describe('The refused fields, at most 50.'),
    }),
    example: { fields: [{ path: 'title', code: 'required', message: 'Required.' }] },
  }),
  PAYLOAD_TOO_LARGE: withDetails({
    status: 413,
    message: ({ limit }) => `The body is larger than ${limit} bytes.`,
    when: 'The body is larger than the route accepts.',
    remedy: 'Send a smaller body.',
    details: z.object({ limit: z.int().positive().describe('The largest body that the route accepts, in bytes.') }),
    example: { limit: 65_536 },
  }),
  UNSUPPORTED_MEDIA_TYPE: withDetails({
    status: 415,
    message: 'This route does not accept the content type or content encoding of the body.',
    when: 'The route does not accept the content type, or the body has a content encoding.',
    remedy: 'Send the body uncompressed, with the content type in `details.contentType`.',
    details: z.object({
      contentType: z.string().optional().describe('The content type that the route accepts.'),
      contentEncoding: z.literal('identity').optional().describe('Present if the body has a content encoding.'),
    }),
    example: { contentType: 'application/json' },
    someHeaders: ['Accept-Encoding'],
  }),
  RANGE_NOT_SATISFIABLE: withDetails({
    status: 416,
    message: ({ size }) => `The range begins after the end of the file, which has ${size} bytes.`,
    when: 'The header `Range` requests a part that begins after the end of the file.',
    remedy: 'Request a range within the `details.size` bytes of the file, or the whole file.',
    details: z.object({ size: z.int().nonnegative().describe('The size of the file in bytes.') }),
    example: { size: 48_213 },
    headers: ['Content-Range'],
  }),
  FORMAT_NOT_SUPPORTED: withDetails({
    status: 501,
    message: ({ formats }) => `The format must be one of ${formats.join(', ')}.`,
    when: 'An oEmbed request asks for an unsupported format.',
    remedy: 'Request one of `details.formats`.',
    details: z.object({ formats: z.array(z.string()).describe('The supported formats.') }),
    example: { formats: ['json', 'xml'] },
  }),
  METHOD_NOT_ALLOWED: withoutDetails({
    status: 405,
    message: 'This path does not support this method.',
    when: 'The path exists, but does not support the method.',
    remedy: 'Use one of the methods in the header `Allow`.',
  }),
  NOT_FOUND: withoutDetails({
    status: 404,
    message: 'Not found.',
    when: 'The resource does not exist, or it belongs to another brand. The two answers are identical, so that a brand cannot probe for the resources of another brand.',
    remedy: 'Check the identifier, and check that the token belongs to the brand that owns the resource.',
  }),
}
