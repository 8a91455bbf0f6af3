// features/people/sessions: members, signed in by any way.
import { DAY, MINUTE, SECOND } from '../../../base/clock.ts'
import { AppError, roleRequired, sessionRequired } from '../../../base/errors.ts'
import { newToken, newUuid } from '../../../base/ids.ts'
import { newestFirst } from '../../../db/keyset.ts'
import type { Db, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import type { Paging } from '../../../http/paging.ts'
import type { Guard } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { tokenHash } from '../tokens/queries.ts'

const SESSION_IDLE = 30 * DAY

/** Over https the prefix makes the browser refuse a cookie of this name from another host or without Secure. */
const isHttps = (publicUrl: string): boolean => publicUrl.startsWith('https://')

export const cookieName = (publicUrl: string): string => (isHttps(publicUrl) ? '__Host-tossup' : 'tossup')

export const sessionCookie = (publicUrl: string, token: string): string =>
  cookieText(cookieName(publicUrl), token, { publicUrl, sameSite: 'Strict', maxAge: SESSION_IDLE / SECOND })

export const endedCookie = (publicUrl: string): string =>
  cookieText(cookieName(publicUrl), '', { publicUrl, sameSite: 'Strict', maxAge: 0 })

export const cookieText = (
  name: string,
  value: string,
  { publicUrl, sameSite, maxAge }: { publicUrl: string; sameSite: 'Strict' | 'Lax'; maxAge: number },
): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; ${isHttps(publicUrl) ? 'Secure; ' : ''}SameSite=${sameSite}`

/** Null if there is none. Of two with one name, which only another host could have added, neither counts. */
export function readCookie(incoming: Incoming, name: string): string | null {
  const given = (header(incoming, 'cookie') ?? '').split(';', 100).map((pair) => pair.trim())
  const values = given.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? (values[0] ?? null) : null
}

/** How exactly it is known when a session was last used: each use would be a write. */
const SEEN_EVERY = MINUTE
const LONGEST_USER_AGENT = 255

export interface Person {
  readonly personKey: number
  readonly memberId: string
  readonly email: string
  readonly name: string | null
}

export interface Session extends Person {
  readonly sessionKey: number
  readonly sessionId: string
  /** The secret of the cookie. */
  readonly token: string
  /** The last use was noted a while ago: a use by a page of the service prolongs the session. */
  readonly isDue: boolean
  /** Looks after the whole service: `tossup member operator` gives this role. */
  readonly isOperator: boolean
}

type SessionDeps = Pick<Deps, 'keys' | 'clock'>
type FindDeps = Pick<Deps, 'engine' | 'keys' | 'clock'>

/** Returns the secret for the cookie: only its keyed hash is stored. */
export async function startSession(
  { keys, clock }: SessionDeps,
  db: Db,
  { personKey, userAgent }: { personKey: number; userAgent: string | null },
): Promise<string> {
  const token = newToken('tss_')
  const now = clock.now()
  await db
    .insertInto('sessions')
    .values({
      id: newUuid(),
      person_key: personKey,
      hash: tokenHash(keys.token, token),
      user_agent: (userAgent ?? '').slice(0, LONGEST_USER_AGENT),
      created_at: now,
      last_seen_at: now,
      expires_at: now + SESSION_IDLE,
    })
    .execute()
  return token
}

/** Null if the session is unknown, was ended, or was not used for 30 days. */
export async function findSession({ engine, keys, clock }: FindDeps, token: string): Promise<Session | null> {
  const now = clock.now()
  const row = await engine.db
    .selectFrom('sessions')
    .innerJoin('people', 'people.key', 'sessions.person_key')
    .select(['sessions.key as session_key', 'sessions.id as session_id', 'sessions.last_seen_at'])
    .select(['people.key as person_key', 'people.id as member_id', 'people.email', 'people.name', 'people.is_operator'])
    .where('sessions.hash', '=', tokenHash(keys.token, token))
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst()
  if (!row) return null
  const { person_key: personKey, member_id: memberId, email, name } = row
  return {
    personKey,
    memberId,
    email,
    name,
    sessionKey: row.session_key,
    sessionId: row.session_id,
    token,
    isDue: now - row.last_seen_at >= SEEN_EVERY,
    isOperator: row.is_operator === 1,
  }
}

/** Notes the use. */
function prolongSession({ engine, clock }: FindDeps, { sessionKey }: Session) {
  const now = clock.now()
  return transaction(engine, (tx) =>
    tx
      .updateTable('sessions')
      .set({ last_seen_at: now, expires_at: now + SESSION_IDLE })
      .where('key', '=', sessionKey)
      .execute(),
  )
}

/** Keeps the session from ending before the commit, by an empty update like `lockPerson`. False if it has ended. */
export const lockSession = async (tx: Tx, sessionKey: number): Promise<boolean> =>
  (await tx
    .updateTable('sessions')
    .set(({ ref }) => ({ user_agent: ref('user_agent') }))
    .where('key', '=', sessionKey)
    .returning('key')
    .executeTakeFirst()) !== undefined

/** Access tokens of the session end with it. */
export const endSession = (tx: Tx, sessionKey: number) =>
  tx.deleteFrom('sessions').where('key', '=', sessionKey).execute()

/** Nothing if the person has no such session. */
export const endSessionOf = (tx: Tx, personKey: number, id: string) =>
  tx.deleteFrom('sessions').where('person_key', '=', personKey).where('id', '=', id).returning('key').executeTakeFirst()

/** The newest first. */
export const sessionsPage = (db: Db, personKey: number, now: number, paging: Paging) =>
  newestFirst(
    db,
    'sessions',
    db.selectFrom('sessions').selectAll().where('person_key', '=', personKey).where('expires_at', '>', now),
    paging,
  )

/** The brands of a person, by their names. */
export const brandsOf = (db: Db, personKey: number) =>
  db
    .selectFrom('members')
    .innerJoin('brands', 'brands.key', 'members.brand_key')
    .select(['brands.key', 'brands.slug', 'brands.name', 'members.role'])
    .where('members.person_key', '=', personKey)
    .where('brands.deleted_at', 'is', null)
    .orderBy('brands.name')
    .orderBy('brands.key')
    .execute()

/** A member is seen when they ask for an access token of the brand: at most once a minute. */
export const noteSeen = (db: Db, { brandKey, personKey, now }: { brandKey: number; personKey: number; now: number }) =>
  db
    .updateTable('members')
    .set({ last_seen_at: now })
    .where('brand_key', '=', brandKey)
    .where('person_key', '=', personKey)
    .where(({ or, eb }) => or([eb('last_seen_at', 'is', null), eb('last_seen_at', '<=', now - SEEN_EVERY)]))
    .execute()

/** A person who works for no brand cannot sign in. */
export const worksForABrand = async (db: Db, personKey: number): Promise<boolean> =>
  (await db
    .selectFrom('members')
    .select('brand_key')
    .where('person_key', '=', personKey)
    .limit(1)
    .executeTakeFirst()) !== undefined

/**
 * True if the browser says that a page of this service sent the request: pages can set neither of these headers. Behind
 * `Sec-Fetch-Site: same-origin`, `Origin` may name the host that was asked instead of `PUBLIC_URL`, as localhost.
 */
function isSameOrigin({ request: { headers } }: Pick<Incoming, 'request'>, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site !== null && site !== 'same-origin') return false
  if (origin === null || origin === publicUrl) return site !== null || origin !== null
  return site !== null && URL.canParse(origin) && new URL(origin).host === headers.get('host')
}

const SESSION_SECURITY = { session: [] }

/** The session of the cookie, or null. */
export async function sessionOf(deps: Deps, incoming: Incoming): Promise<Session | null> {
  const token = readCookie(incoming, cookieName(deps.config.publicUrl))
  return token === null ? null : findSession(deps, token)
}

/** A person who is signed in, on a page of this service. */
export const signedIn = (deps: Deps, assertAllowed: (session: Session) => void = () => undefined): Guard<Session> => ({
  async admit(incoming) {
    const session = await sessionOf(deps, incoming)
    if (!session) throw sessionRequired()
    refuseForeignPage(deps, incoming)
    assertAllowed(session)
    if (session.isDue) {
      try {
        await prolongSession(deps, session)
        // The session lives longer, so its cookie has to as well.
        incoming.addHeader('Set-Cookie', sessionCookie(deps.config.publicUrl, session.token))
      } catch (err) {
        // A full disk must not lock out the operator who comes to see why votes are refused.
        deps.log.warn({ err }, 'a session could not be prolonged')
      }
    }
    return session
  },
  security: [SESSION_SECURITY],
  errors: ['UNAUTHORIZED', 'CROSS_ORIGIN'],
  ownerOf: ({ personKey }) => `person ${personKey}`,
})

/** A person with the role of operator, which is read with each request and so ends at once. */
export function operator(deps: Deps): Guard<Session> {
  const guard = signedIn(deps, ({ isOperator }) => {
    if (!isOperator) throw roleRequired('operator')
  })
  return { ...guard, errors: [...guard.errors, 'ROLE_REQUIRED'] }
}

/** For routes that begin a session: nobody is known yet, but only a page of this service may call them. */
export const ownPage = (deps: Deps): Guard<null> => ({
  admit(incoming) {
    refuseForeignPage(deps, incoming)
    return null
  },
  security: [],
  errors: ['CROSS_ORIGIN'],
})

/** A page of another origin could otherwise act for a person who is signed in, or sign them in as another. */
function refuseForeignPage({ config }: Deps, incoming: Incoming): void {
  if (!isSameOrigin(incoming, config.publicUrl)) throw new AppError('CROSS_ORIGIN')
}
