import { isTossupError } from './errors.ts'
import type { SessionToken, TokenPair } from './openapi.ts'
import type { Caller, CallOptions, Http } from './wire/http.ts'
import { shared } from './wire/one-run.ts'

export type Scope = TokenPair['scopes'][number]

/** An API key, for programs that can keep a secret. */
export interface ApiKey {
  readonly apiKeyId: string
  readonly apiKeySecret: string
}

/** The source of tokens. */
export type TokenSource =
  | (ApiKey & {
      /** The device of the tokens within this app: `my-server`, or a user's id. */
      readonly externalDeviceId: string
      /** By default all scopes of the app. */
      readonly scopes?: readonly Scope[]
    })
  /** A token pair from your server. Each new pair replaces the old one: keep it. */
  | { readonly tokens: TokenPair; readonly onTokens?: (pair: TokenPair) => void }
  /** Called before each request: for pages whose server hands out access tokens. */
  | { readonly accessToken: () => string | Promise<string> }
  /** For pages of the service itself: the access tokens of the person whose session the browser has a cookie of. */
  | { readonly brandSlug: string }

/** This share of its lifetime before its end an access token is no longer used. */
const MARGIN = 0.1
const LONGEST_MARGIN_MS = 30_000

/** A session's tokens have no refresh token: they are asked for again. */
type Issued = TokenPair | (SessionToken & { readonly refreshToken?: undefined })

/** Keeps an access token fresh. Concurrent callers share one exchange or rotation. */
export class Tokens implements Caller {
  readonly #http: Http
  readonly #source: TokenSource
  #pair: Issued | null
  #freshUntil = 0
  readonly #renewOnce = shared(() => this.#renew())

  constructor(http: Http, source: TokenSource) {
    this.#http = http
    this.#source = source
    this.#pair = 'tokens' in source ? source.tokens : null
    if (this.#pair) this.#keep(this.#pair)
  }

  async headers(signal?: AbortSignal): Promise<Record<string, string>> {
    return { Authorization: `Bearer ${await this.#accessToken(signal)}` }
  }

  refused({ Authorization }: Readonly<Record<string, string>>): boolean {
    // Another call may have renewed it meanwhile.
    if (Authorization === `Bearer ${this.#pair?.accessToken}`) this.#freshUntil = 0
    return true
  }

  /** Either token of the pair, to revoke both by. */
  get present(): string | null {
    return this.#pair?.refreshToken ?? null
  }

  forget(): void {
    this.#pair = null
    this.#freshUntil = 0
  }

  async #accessToken(signal?: AbortSignal): Promise<string> {
    if ('accessToken' in this.#source) return this.#source.accessToken()
    if (this.#pair && Date.now() < this.#freshUntil) return this.#pair.accessToken
    return orAborted(this.#renewOnce(), signal)
  }

  async #renew(): Promise<string> {
    const source = this.#source
    if ('brandSlug' in source) {
      const { brandSlug } = source
      this.#keep(await this.#http.call('POST /auth/session/token', { body: { brandSlug } }))
      return this.#pair?.accessToken ?? ''
    }
    const pair = (await this.#rotate()) ?? (await exchange(this.#http, source as ApiKey & { externalDeviceId: string }))
    this.#keep(pair)
    if ('onTokens' in source) source.onTokens?.(pair)
    return pair.accessToken
  }

  /** Null where only a new exchange helps. */
  async #rotate(): Promise<TokenPair | null> {
    if (!this.#pair?.refreshToken) return null
    try {
      // A repeated refresh within 30 seconds gets the same pair, so a lost answer is no loss.
      return await rotate(this.#http, this.#pair.refreshToken)
    } catch (error) {
      if (!('apiKeyId' in this.#source) || !isTossupError(error, 'INVALID_REFRESH_TOKEN')) throw error
      this.#pair = null
      return null
    }
  }

  #keep(pair: Issued): void {
    const lifeMs = pair.expiresIn * 1000
    this.#pair = pair
    this.#freshUntil = Date.now() + lifeMs - Math.min(lifeMs * MARGIN, LONGEST_MARGIN_MS)
  }
}

export interface Exchange {
  readonly externalDeviceId: string
  readonly scopes?: readonly Scope[] | undefined
}

const keyHeaders = ({ apiKeyId, apiKeySecret }: ApiKey): Record<string, string> => ({
  'X-API-Key-ID': apiKeyId,
  'X-API-Key-Secret': apiKeySecret,
})

export function exchange(http: Http, asked: ApiKey & Exchange, options?: CallOptions): Promise<TokenPair> {
  const { externalDeviceId, scopes } = asked
  const body = { externalDeviceId, scopes: scopes && [...scopes] }
  return http.call('POST /auth/token', { body, headers: keyHeaders(asked) }, options)
}

export const rotate = (http: Http, refreshToken: string, options?: CallOptions): Promise<TokenPair> =>
  http.call('POST /auth/token/refresh', { body: { refreshToken } }, options)

/** A shared request continues when one of its callers aborts. */
function orAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    const stay = () => signal.removeEventListener('abort', leave)
    work.finally(stay).then(resolve, reject)
  })
}
