import { z } from 'zod'
import { AppError, invalidLink, notFound, sessionRequired } from '../../../base/errors.ts'
import { SCOPES_OF_ROLE } from '../../../base/roles.ts'
import { transaction } from '../../../db/transaction.ts'
import { preferredLang } from '../../../http/answers/negotiate.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { quotaOf } from '../../../http/limits/limits.ts'
import { countFailure, takeLimits } from '../../../http/limits/rate-limit.ts'
import { anyone, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import type { Mailer } from '../mail/mailer.ts'
import { addressClaim, sendSignInLink } from '../sign-in-links.ts'
import { issueSessionToken } from '../tokens/session-tokens.ts'
import { failureClaim, networkName } from '../tokens/token-limits.ts'
import { useLink } from '../use-link.ts'
import { endedCookie, sessionCookie } from './session-cookie.ts'
import { ownPage, sessionOf, signedIn } from './session-guard.ts'
import {
  linkBody,
  linkSent,
  listedSession,
  ownSession,
  presentPerson,
  presentSession,
  sessionParams,
  sessionToken,
  sessionTokenBody,
  signedInAnswer,
  signInBody,
} from './session-schema.ts'
import { brandsOf, endSession, endSessionOf, findSession, lockSession, noteSeen, sessionsPage } from './sessions.ts'

export function sessionRoutes(deps: Deps, { mailer }: { mailer: Mailer }): Route[] {
  const { engine, config } = deps
  const guard = signedIn(deps)

  return [
    route({
      method: 'POST',
      path: '/auth/links',
      name: 'requestLink',
      tag: 'People',
      summary: 'Mail a sign-in link to a member',
      description:
        'The answer is the same whether or not a member has the address. The link works once, for 15 minutes. It is sent only where the operator has set `SMTP_URL`.',
      guard: anyone,
      caching: 'none',
      body: linkBody,
      limits: ({ incoming }) => [{ quota: quotaOf('linkNetwork', config), key: networkName(deps, incoming.network) }],
      answers: { 202: { description: 'A link is on its way if a member has the address.', schema: linkSent } },
      async handle({ body: { email }, incoming }) {
        await takeLimits(deps.limiter, [addressClaim(deps, email)], incoming)
        sendSignInLink(deps, mailer, { email, lang: preferredLang(header(incoming, 'accept-language')) })
        return { status: 202, data: { sent: true } }
      },
    }),

    route({
      method: 'POST',
      path: '/auth/session',
      name: 'signIn',
      tag: 'People',
      summary: 'Sign in with a one-time link',
      description:
        'Uses up the link, accepts the invitation if it is one, and sets the cookie of a new session. A session that the request already has ends. After ten wrong links in a minute from one network, further wrong links are 429.',
      guard: ownPage(deps),
      caching: 'none',
      body: signInBody,
      answers: {
        200: { description: 'Signed in.', headers: { always: ['Set-Cookie'] }, schema: signedInAnswer },
      },
      errors: ['INVALID_LINK', 'RATE_LIMITED'],
      async handle({ incoming, body: { token } }) {
        const current = await sessionOf(deps, incoming)
        const userAgent = header(incoming, 'user-agent')
        const secret = await useLink(deps, { token, current, userAgent }).catch((error) =>
          countedFailure(deps, incoming, error),
        )
        return signedInBy(deps, incoming, { secret, ended: invalidLink })
      },
    }),

    route({
      method: 'GET',
      path: '/auth/session',
      name: 'getSession',
      tag: 'People',
      summary: 'Who is signed in, and for which brands',
      description: 'For pages of the service: it needs the cookie of a session.',
      guard,
      caching: 'none',
      answers: { 200: { description: 'The session.', headers: MAY_PROLONG, schema: ownSession } },
      async handle({ identity }) {
        const brands = await brandsOf(engine.db, identity.personKey)
        return {
          data: {
            member: presentPerson(identity),
            brands: brands.map(({ slug, name, role }) => ({ slug, name, role })),
            operator: identity.isOperator,
          },
        }
      },
    }),

    route({
      method: 'DELETE',
      path: '/auth/session',
      name: 'signOut',
      tag: 'People',
      summary: 'Sign out',
      description: 'Ends the session and its access tokens at once.',
      guard,
      caching: 'none',
      answers: { 204: { description: 'Signed out.', headers: { always: ['Set-Cookie'] } } },
      async handle({ identity, incoming }) {
        await transaction(engine, (tx) => endSession(tx, identity.sessionKey))
        incoming.addHeader('Set-Cookie', endedCookie(config.publicUrl))
        return { status: 204 }
      },
    }),

    route({
      method: 'POST',
      path: '/auth/session/token',
      name: 'issueSessionToken',
      tag: 'People',
      summary: 'Exchange the session for an access token of a brand',
      description:
        'The token has the scopes of the role, and follows changes of the role at once. It ends with the session. A brand that the person does not work for is 404.',
      guard,
      caching: 'none',
      body: sessionTokenBody,
      limits: ({ identity }) => [{ quota: quotaOf('sessionTokens', config), key: `person ${identity.personKey}` }],
      answers: { 200: { description: 'The access token.', headers: MAY_PROLONG, schema: sessionToken } },
      // The session can end while its token is made.
      errors: ['UNAUTHORIZED', 'NOT_FOUND'],
      async handle({ identity, body: { brandSlug }, now }) {
        const brand = (await brandsOf(engine.db, identity.personKey)).find(({ slug }) => slug === brandSlug)
        if (!brand) throw notFound()
        const { sessionKey, personKey } = identity
        const issued = await transaction(engine, async (tx) => {
          await noteSeen(tx, { brandKey: brand.key, personKey, now })
          if (!(await lockSession(tx, sessionKey))) throw sessionRequired()
          return issueSessionToken(deps, tx, { sessionKey, brandKey: brand.key })
        })
        return { data: { ...issued, tokenType: 'Bearer', scopes: SCOPES_OF_ROLE[brand.role], role: brand.role } }
      },
    }),

    route({
      method: 'GET',
      path: '/auth/sessions',
      name: 'listSessions',
      tag: 'People',
      summary: 'Where you are signed in, newest first',
      description: 'The sessions of the person who is signed in.',
      guard,
      caching: 'none',
      isPaged: true,
      answers: {
        200: { description: 'A page of sessions.', headers: MAY_PROLONG, schema: z.array(listedSession) },
      },
      async handle({ identity, paging, now }) {
        const { rows, next } = await sessionsPage(engine.db, { personKey: identity.personKey, now }, paging)
        return { data: rows.map((row) => presentSession(row, identity)), next }
      },
    }),

    route({
      method: 'DELETE',
      path: '/auth/sessions/{id}',
      name: 'endSession',
      tag: 'People',
      summary: 'End one of your sessions',
      description: 'Its access tokens end with it at once.',
      guard,
      caching: 'none',
      params: sessionParams,
      answers: { 204: { description: 'Ended.', headers: MAY_PROLONG } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params }) {
        const isEnded = await transaction(engine, (tx) => endSessionOf(tx, identity.personKey, params.id))
        if (!isEnded) throw notFound()
        return { status: 204 }
      },
    }),
  ]
}

/** The cookie is renewed with the session, at most once a minute. */
export const MAY_PROLONG = { sometimes: ['Set-Cookie'] } as const

interface NewSession {
  readonly secret: string
  /** The error if somebody removed the person since, whose sessions ended with that. */
  readonly ended: () => AppError
}

/** The answer of every way to sign in. */
export async function signedInBy(deps: Deps, incoming: Incoming, { secret, ended }: NewSession) {
  const session = await findSession(deps, secret)
  if (!session) throw ended()
  incoming.addHeader('Set-Cookie', sessionCookie(deps.config.publicUrl, secret))
  return { data: { member: presentPerson(session) } }
}

/** A wrong link or passkey counts for its network. */
export async function countedFailure(deps: Deps, incoming: Incoming, error: unknown): Promise<never> {
  if (error instanceof AppError && error.status === 401) await countFailure(deps.limiter, failureClaim(deps, incoming))
  throw error
}
