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
