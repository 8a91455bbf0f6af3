// features/deliveries/target: posts to an untrusted address, but never into the operator's network.

import { LoopShare } from '../../../base/loop-share.ts'
import { version } from '../../../version.ts'
import { targetAddresses } from './addresses.ts'
import type { Posted } from './answer-reader.ts'
import { AttemptFailed } from './attempt-failures.ts'
import { connectTo } from './connect.ts'
import { exchange } from './exchange.ts'
import { NameLookups } from './name-lookups.ts'
import { askNameServers, type Resolve } from './name-servers.ts'
import { isReserved } from './reserved-addresses.ts'
import { plainHost, portOf, targetProblem, type UrlRules } from './url.ts'

/** Of the event loop, for the connections of all attempts together. */
const SHARE = 0.4
const LONGEST_SLICE_MS = 10
/** Of the timeout, with the wait for its turn. */
const FOR_THE_NAME = 0.4

export interface Posting {
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
 * redirects, within its timeout. Connections are not reused: the next attempt is checked again. Its own client of
 * HTTP, because those of the runtime read informational answers and headers without end.
 */
export function createPost({ rules, timeoutMs, resolve = askNameServers(), ca }: Surroundings): Post {
  const share = new LoopShare({ share: SHARE, burstMs: LONGEST_SLICE_MS })
  const isCallable = (address: string) => rules.isPrivateWebhookAllowed || !isReserved(address)
  const withinMs = timeoutMs * FOR_THE_NAME
  const lookups = new NameLookups({ resolve, isCallable, withinMs })
  return async ({ brandKey, url: text, headers, body, signal }) => {
    const late = AbortSignal.timeout(timeoutMs)
    const ended = AbortSignal.any([signal, late])
    const endsAt = performance.now() + timeoutMs
    try {
      const problem = targetProblem(text, rules)
      if (problem) throw new AttemptFailed('address_refused')
      const url = new URL(text)
      const target = { host: plainHost(url), brandKey, withinMs, signal }
      const addresses = await unless(ended, targetAddresses(target, { lookups, isCallable }))
      const trusted = ca === undefined ? {} : { ca }
      const left = { withinMs: endsAt - performance.now(), ended, share }
      const socket = await connectTo({ url, addresses, ...left, ...trusted })
      return await exchange(socket, { request: requestOf(url, headers, body), ended, share })
    } catch (error) {
      throw late.aborted && !signal.aborted ? new AttemptFailed('timeout') : error
    }
  }
}

function requestOf(url: URL, headers: Posting['headers'], body: string): Buffer {
  const content = Buffer.from(body)
  const isUsualPort = url.port === ''
  const host = plainHost(url)
  const name = host.includes(':') ? `[${host}]` : host
  const all = {
    Host: isUsualPort ? name : `${name}:${portOf(url)}`,
    'Content-Type': 'application/json',
    'Content-Length': content.length,
    'User-Agent': `Tossup/${version}`,
    'Accept-Encoding': 'identity',
    Connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`), content])
}

function unless<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(ended.reason)
    if (ended.aborted) abort()
    ended.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', abort))
  })
}
