import { isTossupError, SessionClient, Tossup } from '../../sdk/src/index.ts'
import { CONFIG } from './config.ts'

/** The language of what the service mails follows that of the browser. */
export const sessions = new SessionClient({ url: CONFIG.origin, retries: 1 })

const clients = new Map<string, Tossup>()

/** One client for each brand: it keeps the access token in memory, and renews it. */
export function tossupOf(brandSlug: string): Tossup {
  let client = clients.get(brandSlug)
  if (!client) {
    client = new Tossup({ url: CONFIG.origin, auth: { brandSlug }, retries: 1 })
    clients.set(brandSlug, client)
  }
  return client
}

/** Tokens of an earlier session are of no use. */
export const forgetClients = () => clients.clear()

/** Nobody is signed in, or not any more. */
export const isSignedOut = (error: unknown): boolean => isTossupError(error, 'UNAUTHORIZED')
