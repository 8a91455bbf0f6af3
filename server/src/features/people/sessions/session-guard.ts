import { crossOrigin, roleRequired, sessionRequired } from '../../../base/errors.ts'
import type { Incoming } from '../../../http/incoming.ts'
import type { Guard } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { cookieName, readCookie, sessionCookie } from './session-cookie.ts'
import { findSession, prolongSession, type Session } from './sessions.ts'

/**
 * True if the browser says that a page of this service sent the request. `Sec-Fetch-Site` cannot be set by a page, and
 * `Origin` not either; a request with neither comes from no page of ours. Behind `Sec-Fetch-Site: same-origin`, `Origin` may
 * name the host that was asked instead of `PUBLIC_URL`, as localhost instead of 127.0.0.1.
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
  if (!isSameOrigin(incoming, config.publicUrl)) throw crossOrigin()
}
