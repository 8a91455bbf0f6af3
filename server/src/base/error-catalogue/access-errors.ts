import { z } from 'zod'
import { SCOPES } from '../scopes.ts'
import { withDetails, withoutDetails } from './entry.ts'

/** Who asks, and what they may do. */
export const ACCESS_ERRORS = {
  UNAUTHORIZED: withoutDetails({
    status: 401,
    message: 'Credentials are missing: "Authorization: Bearer TOKEN", or X-Device-Id where a device is enough.',
    when: 'The request has no credentials, or its access token is unknown, has expired or was revoked.',
    remedy: 'Get a new pair of tokens with `POST /auth/token/refresh` or `POST /auth/token`, and repeat the request.',
    headers: ['WWW-Authenticate'],
  }),
  INVALID_API_KEY: withoutDetails({
    status: 401,
    message: 'The API key is not valid.',
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
    message: 'The app does not hold every scope asked for.',
    when: 'A token exchange asks for a scope that the app does not hold.',
    remedy: 'Leave out the scopes of `details.scopes`, or give the app these scopes.',
    details: z.object({ scopes: z.array(z.string()).describe('The scopes that the app does not hold.') }),
    example: { scopes: ['manage'] },
  }),
  SCOPE_REQUIRED: withDetails({
    status: 403,
    message: ({ scope }) => `This request needs the scope ${scope}.`,
    when: 'The access token does not hold the scope that the route needs.',
    remedy: 'Issue a token with the scope `details.scope`. The app must hold it too.',
    details: z.object({ scope: z.enum(SCOPES).describe('The scope that the route needs.') }),
    example: { scope: 'manage' },
  }),
  BRAND_CONTEXT_REQUIRED: withoutDetails({
    status: 403,
    message: 'The app of this token belongs to no brand.',
    when: "The route works on the token's own brand, but the app was made without one.",
    remedy: 'Use the API key of an app that belongs to a brand.',
  }),
  RATE_LIMITED: withoutDetails({
    status: 429,
    message: 'Too many requests. Try again later.',
    when: 'A rate limit is used up. The header `RateLimit-Policy` names the limit.',
    remedy: 'Wait for the seconds of `Retry-After`, then repeat the request.',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  }),
}
