import type { Incoming } from './incoming.ts'

/**
 * True if the browser says that a page of this service sent the request. `Sec-Fetch-Site` cannot be set by a page, and
 * `Origin` not either; a request with neither comes from no page of ours. Behind `Sec-Fetch-Site: same-origin`, `Origin` may
 * name the host that was asked instead of `PUBLIC_URL`, as localhost instead of 127.0.0.1.
 */
export function isSameOrigin({ request: { headers } }: Pick<Incoming, 'request'>, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site !== null && site !== 'same-origin') return false
  if (origin === null || origin === publicUrl) return site !== null || origin !== null
  return site !== null && URL.canParse(origin) && new URL(origin).host === headers.get('host')
}
