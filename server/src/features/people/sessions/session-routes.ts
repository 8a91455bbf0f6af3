import { z } from 'zod'
import { iso } from '../../../base/clock.ts'
import { AppError, invalidLink, notFound, orNotFound, sessionRequired } from '../../../base/errors.ts'
import { count, idOf, timestamp, uuid } from '../../../base/fields.ts'
import { ROLES, SCOPES, SCOPES_OF_ROLE } from '../../../base/roles.ts'
import { transaction } from '../../../db/transaction.ts'
import { preferredLang } from '../../../http/answers/negotiate.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { quotaOf } from '../../../http/limits/limits.ts'
import { countFailure } from '../../../http/limits/rate-limit.ts'
import { anyone, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { emailField } from '../email.ts'
import { useLink } from '../links.ts'
import { type Mailer, sendSignInLink } from '../mail/mailer.ts'
import { failureClaim, networkName } from '../tokens/guards.ts'
import { issueSessionToken } from '../tokens/queries.ts'
import {
  brandsOf,
  endedCookie,
  endSession,
  endSessionOf,
  findSession,
  lockSession,
  noteSeen,
  ownPage,
  type Person,
  type Session,
  sessionCookie,
  sessionOf,
  sessionsPage,
  signedIn,
} from './sessions.ts'

const LINK_TOKEN = 'tsl_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'

const linkBody = z
  .strictObject({ email: emailField.meta({ description: 'The address of a member.', examples: ['ada@example.com'] }) })
  .meta({ id: 'LinkRequest', description: 'Whom to mail a sign-in link.' })

const linkAccepted = z.object({
  accepted: z.literal(true).describe('Always true, also if nobody has this address.'),
})

const linkToken = z.string().min(1).max(100)

const signInBody = z
  .strictObject({
    token: linkToken.meta({ description: 'The last part of the address of the link.', examples: [LINK_TOKEN] }),
  })
  .meta({ id: 'SignIn', description: 'The one-time link to use up.' })

export const personFields = {
  memberId: uuid.describe('The permanent id of the person.'),
  email: z.string().meta({ description: 'The address, as it was typed.', examples: ['ada@example.com'] }),
  name: z
    .string()
    .nullable()
    .meta({ description: 'The name, or null if none is known.', examples: ['Ada'] }),
}

const signedInMember = z
  .object(personFields)
  .meta({ id: 'SignedInMember', description: 'The person who is signed in.' })

export const signedInAnswer = z.object({ member: signedInMember.describe('Who is signed in.') })

const presentPerson = ({ memberId, email, name }: Person): z.infer<typeof signedInMember> => ({
  memberId,
  email,
  name,
})

const ownSession = z.object({
  member: signedInMember.describe('Who is signed in.'),
  brands: z
    .array(
      z.object({
        slug: z.string().meta({ description: 'The slug of the brand.', examples: ['tossup-demo'] }),
        name: z.string().meta({ description: 'The name of the brand.', examples: ['Corner Bakery'] }),
        role: z.enum(ROLES).meta({ description: "The person's role.", examples: ['owner'] }),
      }),
    )
    .describe('The brands that the person works for.'),
  operator: z
    .boolean()
    .meta({ description: 'True for a person who looks after the whole service.', examples: [false] }),
})

const sessionTokenBody = z
  .strictObject({
    brandSlug: z
      .string()
      .min(1)
      .max(63)
      .meta({ description: 'The brand to act for.', examples: ['tossup-demo'] }),
  })
  .meta({ id: 'SessionTokenRequest', description: 'The brand of the access token.' })

const sessionToken = z
  .object({
    accessToken: z.string().meta({
      description: 'Send it in the header `Authorization: Bearer …`.',
      examples: ['tsm_8sWq2ZkYx0PfLhV5nTgJ3cRb7MdUa9EoKiXw4HlQv1S'],
    }),
    expiresIn: count.meta({ description: 'Its lifetime in seconds. For another one, ask again.', examples: [900] }),
    tokenType: z.literal('Bearer').describe('Always `Bearer`.'),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'The scopes of the role.', examples: [['view', 'analytics']] }),
    role: z.enum(ROLES).meta({ description: "The person's role in the brand.", examples: ['analyst'] }),
  })
  .meta({ id: 'SessionToken', description: 'An access token of a person, without a refresh token.' })

const sessionParams = z.object({ id: idOf('session').toLowerCase().describe('The id of the session.') })

const listedSession = z
  .object({
    id: uuid.describe('The id of the session.'),
    createdAt: timestamp.describe('When the person signed in.'),
    lastSeenAt: timestamp.describe('When the session was last used, to the minute.'),
    userAgent: z.string().meta({ description: 'What the browser calls itself.', examples: ['Mozilla/5.0'] }),
    current: z.boolean().meta({ description: 'True for the session of this request.', examples: [true] }),
  })
  .meta({ id: 'Session', description: 'A browser in which the person is signed in.' })

const presentSession = (
  row: { id: string; created_at: number; last_seen_at: number; user_agent: string },
  { sessionId }: Session,
): z.infer<typeof listedSession> => ({
  id: row.id,
  createdAt: iso(row.created_at),
  lastSeenAt: iso(row.last_seen_at),
  userAgent: row.user_agent,
  current: row.id === sessionId,
})

export function sessionRoutes(deps: Deps, { mailer }: { mailer: Mailer }): Route[] {
  const { engine, config } = deps
  const common = { tag: 'People', guard: signedIn(deps), caching: 'none' } as const

  return [
    route({
      method: 'POST',
      path: '/auth/links',
      name: 'requestLink',
      tag: 'People',
      summary: 'Mail a sign-in link to a member',
      description:
        'The answer is the same whether or not a member has the address. The link works once, for 15 minutes, also when others are mailed after it. It is sent only where the operator has set `SMTP_URL`, and at most five times an hour for each address.',
      guard: anyone,
      caching: 'none',
      body: linkBody,
      limits: ({ incoming }) => [{ quota: quotaOf('linkNetwork', config), key: networkName(deps, incoming.network) }],
      answers: { 202: { description: 'A link is on its way if a member has the address.', schema: linkAccepted } },
      handle({ body: { email }, incoming }) {
        sendSignInLink(deps, mailer, { email, lang: preferredLang(header(incoming, 'accept-language')) })
        return { status: 202, data: { accepted: true } }
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
      answers: { 200: { description: 'Signed in.', headers: { always: ['Set-Cookie'] }, schema: signedInAnswer } },
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
      ...common,
      summary: 'Who is signed in, and for which brands',
      description: 'For pages of the service: it needs the cookie of a session.',
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
      ...common,
      summary: 'Sign out',
      description: 'Ends the session and its access tokens at once.',
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
      ...common,
      summary: 'Exchange the session for an access token of a brand',
      description:
        'The token has the scopes of the role, and follows changes of the role at once. It ends with the session. A brand that the person does not work for is 404.',
      body: sessionTokenBody,
      limits: ({ identity }) => [{ quota: quotaOf('sessionTokens', config), key: `person ${identity.personKey}` }],
      answers: { 200: { description: 'The access token.', headers: MAY_PROLONG, schema: sessionToken } },
      // The session can end while its token is made.
      errors: ['UNAUTHORIZED', 'NOT_FOUND'],
      async handle({ identity, body: { brandSlug }, now }) {
        const brand = orNotFound((await brandsOf(engine.db, identity.personKey)).find(({ slug }) => slug === brandSlug))
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
      ...common,
      summary: 'Where you are signed in, newest first',
      description: 'The sessions of the person who is signed in.',
      isPaged: true,
      answers: { 200: { description: 'A page of sessions.', headers: MAY_PROLONG, schema: z.array(listedSession) } },
      async handle({ identity, paging, now }) {
        const { rows, next } = await sessionsPage(engine.db, identity.personKey, now, paging)
        return { data: rows.map((row) => presentSession(row, identity)), next }
      },
    }),

    route({
      method: 'DELETE',
      path: '/auth/sessions/{id}',
      name: 'endSession',
      ...common,
      summary: 'End one of your sessions',
      description: 'Its access tokens end with it at once.',
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
