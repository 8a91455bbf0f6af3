import { DAY, SECOND } from '../../../base/clock.ts'
import { header, type Incoming } from '../../../http/incoming.ts'

export const SESSION_IDLE = 30 * DAY

/** Over https the prefix makes the browser refuse a cookie of this name from another host or without Secure. */
const isHttps = (publicUrl: string): boolean => publicUrl.startsWith('https://')

export const cookieName = (publicUrl: string): string => (isHttps(publicUrl) ? '__Host-tossup' : 'tossup')

export const sessionCookie = (publicUrl: string, token: string): string =>
  cookieText(cookieName(publicUrl), token, { publicUrl, sameSite: 'Strict', maxAge: SESSION_IDLE / SECOND })

export const endedCookie = (publicUrl: string): string =>
  cookieText(cookieName(publicUrl), '', { publicUrl, sameSite: 'Strict', maxAge: 0 })

interface CookieRules {
  readonly publicUrl: string
  readonly sameSite: 'Strict' | 'Lax'
  readonly maxAge: number
}

export const cookieText = (name: string, value: string, { publicUrl, sameSite, maxAge }: CookieRules): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; ${isHttps(publicUrl) ? 'Secure; ' : ''}SameSite=${sameSite}`

/** Null if there is none. Of two with one name, which only another host could have added, neither counts. */
export function readCookie(incoming: Incoming, name: string): string | null {
  const given = (header(incoming, 'cookie') ?? '').split(';', 100).map((pair) => pair.trim())
  const values = given.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? (values[0] ?? null) : null
}
