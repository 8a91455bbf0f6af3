import { randomUUID } from 'node:crypto'
import type { Role } from '../src/base/roles.ts'
import { transaction } from '../src/db/transaction.ts'
import { emailKey } from '../src/features/people/email.ts'
import { addPerson, addMember as addToBrand, createSignInLink } from '../src/features/people/links.ts'
import { cookieName, findSession, startSession } from '../src/features/people/sessions/sessions.ts'
import { issueSessionToken } from '../src/features/people/tokens/queries.ts'
import type { Reply, TestBrand, TestService } from './service.ts'

export interface TestMember {
  readonly memberId: string
  readonly email: string
  readonly personKey: number
  readonly sessionKey: number
  /** The headers of a page of the service in the browser of this person. */
  readonly page: Record<string, string>
  /** An access token of the brand. */
  readonly token: string
}

/** The header that a browser adds to a request from a page of the service. */
export const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' }

/** The headers of a page in a browser with this session. */
export const pageWith = ({ deps }: TestService, secret: string): Record<string, string> => ({
  ...OWN_PAGE,
  Cookie: `${cookieName(deps.config.publicUrl)}=${secret}`,
})

/** The headers of the browser after it got this answer. */
export function pageAfter({ headers }: Pick<Reply, 'headers'>): Record<string, string> {
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  if (cookie === '') throw new Error('no cookie was set')
  return { ...OWN_PAGE, Cookie: cookie }
}

interface Newcomer {
  readonly email?: string
  readonly isProven?: boolean
}

/** A person of the brand who is signed in. */
export async function addMember(
  service: TestService,
  { brandKey }: Pick<TestBrand, 'brandKey'>,
  role: Role,
  { email = `${role}-${randomUUID().slice(0, 8)}@people.test`, isProven = true }: Newcomer = {},
): Promise<TestMember> {
  const { deps } = service
  const now = deps.clock.now()
  const { personKey, secret } = await transaction(deps.engine, async (tx) => {
    const key = await addPerson(tx, { email, emailKey: emailKey(email), isProven, now })
    if (key === null) throw new Error(`${email} has an account`)
    await addToBrand(tx, { brandKey, personKey: key, role, now })
    return { personKey: key, secret: await startSession(deps, tx, { personKey: key, userAgent: 'a test' }) }
  })
  const session = await findSession(deps, secret)
  if (!session) throw new Error('no session')
  const { memberId, sessionKey } = session
  const { accessToken } = await transaction(deps.engine, (tx) => issueSessionToken(deps, tx, { sessionKey, brandKey }))
  return { memberId, email, personKey, sessionKey, page: pageWith(service, secret), token: accessToken }
}

/** The token of a new link for a member. */
export async function newLinkToken(
  { deps }: TestService,
  { personKey }: Pick<TestMember, 'personKey'>,
  { isMailed = false } = {},
): Promise<string> {
  const { url } = await transaction(deps.engine, (tx) => createSignInLink(deps, tx, { personKey, isMailed }))
  return tokenOf(url)
}

export const tokenOf = (url: string): string => url.split('#').at(-1) ?? ''

export const useToken = (service: TestService, token: string, headers: Record<string, string> = OWN_PAGE) =>
  service.post<{ member: { memberId: string; email: string; name: string | null } }>('auth/session', {
    headers,
    json: { token },
  })
