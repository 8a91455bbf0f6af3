import { crossOrigin, roleRequired, sessionRequired } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import type { Guard } from '../../http/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import { isSameOrigin } from '../../http/same-origin.ts'
import { cookieName, readCookie, sessionCookie } from './session-cookie.ts'
import { findSession, prolongSession, type Session } from './sessions.ts'

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
