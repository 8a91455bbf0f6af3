import { z } from 'zod'
import { withDetails, withoutDetails } from './entry.ts'

export const fieldProblem = z
  .object({
    path: z.string().describe('The field, with dots between the names; empty for the request as a whole.'),
    code: z.string().describe('What is wrong, for programs.'),
    message: z.string().describe('What is wrong and what is allowed, for people.'),
    line: z.int().positive().optional().describe('In a stylesheet: the line, from 1.'),
    column: z.int().positive().optional().describe('In a stylesheet: the column, from 1.'),
  })
  .meta({ id: 'FieldProblem', description: 'One field that the service refused.' })

/** Requests that the service cannot read, or that are not what the route takes. */
export const REQUEST_ERRORS = {
  MALFORMED_JSON: withoutDetails({
    status: 400,
    message: 'The body is not valid JSON.',
    when: 'The body is empty, is not valid JSON or is not encoded in UTF-8.',
    remedy: 'Send one JSON object in UTF-8.',
  }),
  VALIDATION_ERROR: withDetails({
    status: 422,
    message: 'The request is not valid.',
    when: 'A field of the path, the query, the headers or the body is missing, unknown or not allowed. The status is 400 where `limit` or `cursor` is wrong, and 422 everywhere else.',
    remedy: 'Correct each field that `details.fields` names, and send the request again.',
    details: z.object({
      fields: z.array(fieldProblem).describe('Every field that was refused, at most 50.'),
    }),
    example: { fields: [{ path: 'title', code: 'required', message: 'Required.' }] },
  }),
  PAYLOAD_TOO_LARGE: withDetails({
    status: 413,
    message: ({ limit }) => `The body is larger than ${limit} bytes.`,
    when: 'The body is larger than the route takes.',
    remedy: 'Send a smaller body.',
    details: z.object({ limit: z.int().positive().describe('The largest body that the route takes, in bytes.') }),
    example: { limit: 65_536 },
  }),
  UNSUPPORTED_MEDIA_TYPE: withDetails({
    status: 415,
    message: 'The body is not of a type that this route takes.',
    when: 'The content type is not the one that the route takes, or the body has a content encoding.',
    remedy: 'Send the body as it is, with the content type of `details.contentType`.',
    details: z.object({
      contentType: z.string().optional().describe('The content type that the route takes.'),
      contentEncoding: z.literal('identity').optional().describe('Present where the body has a content encoding.'),
    }),
    example: { contentType: 'application/json' },
  }),
  RANGE_NOT_SATISFIABLE: withDetails({
    status: 416,
    message: ({ size }) => `The range begins behind the end of the file, which has ${size} bytes.`,
    when: 'The header `Range` asks for a part that begins behind the end of the file.',
    remedy: 'Ask for a range within the `details.size` bytes of the file, or for the whole file.',
    details: z.object({ size: z.int().nonnegative().describe('How many bytes the file has.') }),
    example: { size: 48_213 },
    headers: ['Content-Range'],
  }),
  FORMAT_NOT_SUPPORTED: withDetails({
    status: 501,
    message: ({ formats }) => `The format must be one of ${formats.join(', ')}.`,
    when: 'An oEmbed request asks for a format that the service does not write.',
    remedy: 'Ask for a format of `details.formats`.',
    details: z.object({ formats: z.array(z.string()).describe('The formats that the service writes.') }),
    example: { formats: ['json', 'xml'] },
  }),
  METHOD_NOT_ALLOWED: withoutDetails({
    status: 405,
    message: 'This path does not take this method.',
    when: 'The path exists, but not with this method.',
    remedy: 'Use a method that the header `Allow` lists.',
  }),
  NOT_FOUND: withoutDetails({
    status: 404,
    message: 'There is nothing here.',
    when: 'Nothing exists under this address, or it belongs to another brand. The two answers are identical, so that nobody can find out what others have.',
    remedy: 'Check the identifier, and that the token belongs to the brand that owns the resource.',
  }),
}
