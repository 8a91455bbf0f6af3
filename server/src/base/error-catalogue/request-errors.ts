import { z } from 'zod'
import { OPERATOR, ROLES, SCOPES } from '../roles.ts'
import { withDetails, withoutDetails } from './entry.ts'

/** Authentication and authorization. */
export const ACCESS_ERRORS = {
  UNAUTHORIZED: withoutDetails({
    status: 401,
    message:
      'Missing or invalid credentials. Send "Authorization: Bearer TOKEN", or X-Device-Id where the route accepts it.',
    when: 'The request has no credentials, or its access token is unknown, has expired or was revoked.',
    remedy: 'Get a new pair of tokens with `POST /auth/token/refresh` or `POST /auth/token`, and repeat the request.',
    headers: ['WWW-Authenticate'],
  }),
  INVALID_API_KEY: withoutDetails({
    status: 401,
    message: 'The API key is not valid. Send it in two headers, "X-API-Key-ID: ID" and "X-API-Key-Secret: SECRET".',
    when: 'The key id or the secret is wrong, the app was revoked, or the key does not belong to the app of the token.',
    remedy: 'Check both headers, `X-API-Key-ID` and `X-API-Key-Secret`.',
    headers: ['WWW-Authenticate'],
  }),
  INVALID_REFRESH_TOKEN: withoutDetails({
    status: 401,
    message: 'The refresh token is not valid.',
    when: 'The refresh token is unknown, has expired, was revoked or was used before.',
    remedy: 'Get a new pair of tokens with `POST /auth/token`.',
    headers: ['WWW-Authenticate'],
  }),
  INVALID_SCOPE: withDetails({
    status: 400,
    message: 'The app does not hold every requested scope.',
    when: 'A token exchange requests a scope that the app does not hold.',
    remedy: 'Remove the scopes in `details.scopes` from the request, or use an app that holds them.',
    details: z.object({ scopes: z.array(z.string()).describe('The scopes that the app does not hold.') }),
    example: { scopes: ['manage'] },
  }),
  SCOPE_REQUIRED: withDetails({
    status: 403,
    message: ({ scope }) => `This request requires the scope ${scope}.`,
    when: 'The access token does not hold the scope that the route requires.',
    remedy: 'Get a token with the scope `details.scope`. The app must hold that scope too.',
    details: z.object({ scope: z.enum(SCOPES).describe('The scope that the route requires.') }),
    example: { scope: 'manage' },
  }),
  BRAND_CONTEXT_REQUIRED: withoutDetails({
    status: 403,
    message: 'The app of this token does not belong to a brand.',
    when: "The route works on the token's own brand, but the app was created without a brand.",
    remedy: 'Use the API key of an app that belongs to a brand.',
  }),
  INVALID_LINK: withoutDetails({
    status: 401,
    message: 'This link does not work. It may have been used, or have expired.',
    when: 'The one-time link is unknown, was used before or has expired, or its member was removed. A link of an invitation that was not mailed also answers so if its address has an account already and the request has no session of that account.',
    remedy:
      'Request a new link with `POST /auth/links`, or ask an owner of the brand for a new invitation. With an account, sign in first, and then open the invitation.',
    headers: ['WWW-Authenticate'],
  }),
  INVALID_PASSKEY: withoutDetails({
    status: 401,
    message: 'This passkey could not be verified.',
    when: 'The passkey is unknown or of another site, its challenge has expired or was answered before, or its counter went back.',
    remedy: 'Get a new challenge and try again, or sign in with a link.',
    headers: ['WWW-Authenticate'],
  }),
  CROSS_ORIGIN: withoutDetails({
    status: 403,
    message: 'This request must come from a page of this service.',
    when: "The route uses the session's cookie, and neither `Origin` nor `Sec-Fetch-Site` says that the request comes from this origin.",
    remedy: 'Send the request from a page of the service at `PUBLIC_URL`. Servers use an API key instead.',
  }),
  MEMBER_REQUIRED: withoutDetails({
    status: 403,
    message: 'Only a person who is a member of the brand can do this.',
    when: 'The route is for people, and the access token belongs to an app.',
    remedy: 'Sign in as a member of the brand, and use the access token of that session.',
  }),
  ROLE_REQUIRED: withDetails({
    status: 403,
    message: ({ role }) => `This request requires the role ${role}.`,
    when: 'The person does not have the role that the route requires.',
    remedy:
      'Ask an owner of the brand to do it, or to give you the role `details.role`. The role `operator` is given on the server, by `tossup member operator`.',
    details: z.object({ role: z.enum([...ROLES, OPERATOR]).describe('The role that the route requires.') }),
    example: { role: 'owner' },
  }),
  RATE_LIMITED: withoutDetails({
    status: 429,
    message: 'Too many requests. Try again later.',
    when: 'The caller exceeded a rate limit. The header `RateLimit-Policy` names the limit.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  }),
}

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
