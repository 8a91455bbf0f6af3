// features/deliveries/target: posts to an address of a stranger, never into the network of the operator.

import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { version } from '../../../version.ts'
import { type Resolve, targetAddresses } from './addresses.ts'
import { AttemptFailed } from './failures.ts'
import { plainHost, portOf, targetProblem, type UrlRules } from './url.ts'

const MOST_BYTES = 64 * 1_024
const KEPT_BYTES = 1_024

export interface Posting {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

export interface Posted {
  readonly status: number
  readonly retryAfter: string | null
  /** The first KiB of the answer, as valid text. */
  readonly text: string
}

interface Surroundings {
  readonly rules: UrlRules
  readonly timeoutMs: number
  readonly resolve?: Resolve
  /** Trusted in place of the public authorities. */
  readonly ca?: string
}

export type Post = (posting: Posting) => Promise<Posted>

const askSystem: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true })

/**
 * One request to an untrusted server: to a checked address only, without a proxy, without following
 * redirects, within its timeout. Connections are not reused: the next attempt is checked again.
 */
export function createPost({ rules, timeoutMs, resolve = askSystem, ca }: Surroundings): Post {
  return async ({ url: text, headers, body, signal }) => {
    const late = AbortSignal.timeout(timeoutMs)
    const ended = AbortSignal.any([signal, late])
    try {
      const problem = targetProblem(text, rules)
      if (problem) throw new AttemptFailed('address_refused')
      const url = new URL(text)
      const host = plainHost(url)
      const checked = targetAddresses(host, { resolve, isPrivateAllowed: rules.isPrivateWebhookAllowed })
      const addresses = await unless(ended, checked)
      return await request({ url, headers, body, addresses, ended, ...(ca === undefined ? {} : { ca }) })
    } catch (error) {
      throw late.aborted && !signal.aborted ? new AttemptFailed('timeout') : error
    }
  }
}

interface Ready {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly addresses: readonly LookupAddress[]
  readonly ended: AbortSignal
  readonly ca?: string
}

function request({ url, headers, body, addresses, ended, ca }: Ready): Promise<Posted> {
  const bytes = Buffer.from(body)
  const options: RequestOptions & { ca?: string } = {
    method: 'POST',
    host: plainHost(url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': bytes.byteLength,
      'User-Agent': `Tossup/${version}`,
      'Accept-Encoding': 'identity',
      ...headers,
    },
    // Never resolved a second time: the name may point elsewhere by then. A literal address is not resolved at all.
    lookup: (_host, { all }, answer) => {
      const [first] = addresses
      if (all) answer(null, [...addresses])
      else answer(null, first?.address ?? '', first?.family)
    },
    ...(ca === undefined ? {} : { ca }),
  }
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? https : http).request(options)
    const stop = () => {
      sent.destroy()
      reject(ended.reason)
    }
    ended.addEventListener('abort', stop, { once: true })
    sent.on('error', reject)
    sent.on('response', (response) => {
      ended.removeEventListener('abort', stop)
      resolve(readAnswer(response, ended).finally(() => sent.destroy()))
    })
    sent.on('close', () => reject(new AttemptFailed('connection_failed')))
    sent.end(bytes)
  })
}

/** The status decides; the body is only for the log. */
function readAnswer(response: IncomingMessage, ended: AbortSignal): Promise<Posted> {
  const { statusCode = 0, headers } = response
  const retryAfter = headers['retry-after'] ?? null
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = () => resolve({ status: statusCode, retryAfter, text: textOf(chunks) })
    for (const event of ['end', 'close', 'error', 'aborted']) response.on(event, finish)
    ended.addEventListener('abort', finish, { once: true })
    response.on('data', (chunk: Buffer) => {
      if (size < KEPT_BYTES) chunks.push(chunk)
      size += chunk.byteLength
      if (size >= MOST_BYTES) finish()
    })
  })
}

/** Drops a character that is cut in two at the end, and replaces U+0000, which PostgreSQL refuses. */
function textOf(chunks: readonly Buffer[]): string {
  const kept = Buffer.concat(chunks).subarray(0, KEPT_BYTES)
  return new TextDecoder().decode(kept, { stream: true }).replaceAll('\0', '\ufffd')
}

function unless<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(ended.reason)
    if (ended.aborted) abort()
    ended.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', abort))
  })
}
