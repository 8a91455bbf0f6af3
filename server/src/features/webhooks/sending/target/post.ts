// features/webhooks/sending/target: posts to an untrusted address, but never into the operator's network.
import { version } from '../../../../config/config.ts'
import { AttemptFailed, exchange, type Posted, Spacing } from './exchange.ts'
import { askNameServers, NameLookups, type Resolve } from './name-lookups.ts'
import { isReserved, plainHost, targetProblem, type UrlRules } from './url.ts'

/** Part of the timeout for the look-up, with the wait for its turn. */
const FOR_THE_NAME = 0.4

export interface Posting {
  /** `POST` if left out. A `GET` has no body. */
  readonly method?: 'GET' | 'POST'
  readonly keptBytes?: number
  readonly brandKey: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

interface Surroundings {
  readonly rules: UrlRules
  readonly timeoutMs: number
  readonly resolve?: Resolve
  /** Trusted in place of the public authorities. */
  readonly ca?: string
}

export type Post = (posting: Posting) => Promise<Posted>

/**
 * One request to an untrusted server: to a checked address only, without a proxy, without following
 * redirects, within its timeout. Connections are not reused: the next attempt is checked again.
 */
export function createPost({ rules, timeoutMs, resolve = askNameServers(), ca }: Surroundings): Post {
  const isCallable = (address: string) => rules.isPrivateWebhookAllowed || !isReserved(address)
  const spacing = new Spacing()
  const lookups = new NameLookups({ resolve, isCallable, withinMs: timeoutMs * FOR_THE_NAME })
  return async ({ brandKey, url: text, headers, body, signal, method = 'POST' as const, keptBytes }) => {
    const late = AbortSignal.timeout(timeoutMs)
    const ended = AbortSignal.any([signal, late])
    try {
      const problem = targetProblem(text, rules)
      if (problem) throw new AttemptFailed('address_refused')
      const url = new URL(text)
      const addresses = await unless(ended, lookups.addressesOf({ host: plainHost(url), brandKey, signal }))
      await unless(ended, spacing.turn(url.protocol === 'https:'))
      const content = Buffer.from(body)
      const allHeaders = { ...(method === 'POST' ? ownHeaders(content) : commonHeaders), ...headers }
      return await exchange({ method, url, addresses, headers: allHeaders, content, ended, spacing, ca, keptBytes })
    } catch (error) {
      throw late.aborted && !signal.aborted ? new AttemptFailed('timeout') : error
    }
  }
}

const commonHeaders = { 'User-Agent': `Tossup/${version}`, 'Accept-Encoding': 'identity', Connection: 'close' }

const ownHeaders = (content: Buffer) => ({
  'Content-Type': 'application/json',
  'Content-Length': content.length,
  ...commonHeaders,
})

function unless<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(ended.reason)
    if (ended.aborted) abort()
    ended.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', abort))
  })
}
