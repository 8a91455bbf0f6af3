import { TossupError } from './errors.ts'
import type { TokenPair, UploadTicket } from './openapi.ts'
import { type Exchange, exchange, rotate, type TokenSource, Tokens } from './tokens.ts'
import { Visitor, type VisitorOptions, type VoteOptions } from './visitor.ts'
import { keepTag } from './wire/etag.ts'
import {
  bodyOf,
  type Caller,
  type CallOptions,
  type DataOf,
  dataOf,
  type Endpoint,
  type Given,
  Http,
  type Outgoing,
  type ServiceOptions,
} from './wire/http.ts'
import { openAnswer } from './wire/open-answer.ts'
import { randomId } from './wire/random-id.ts'
import { fetchWithProgress } from './wire/upload-progress.ts'

export interface TossupOptions extends VisitorOptions {
  readonly auth?: TokenSource
}

export interface WriteOptions extends CallOptions {
  /**
   * 8 to 255 of `A-Z a-z 0-9 . _ ~ -`: a write with a key that was used within 24 hours is not executed again but gets the
   * first answer. By default each call makes one and keeps it for its retries. Pass one to survive a restart.
   */
  readonly idempotencyKey?: string | undefined
}

export interface PatchOptions extends WriteOptions {
  /**
   * An ETag from `etagOf`: the write is made only if there was no change since, and is `PRECONDITION_FAILED` otherwise.
   * Votes do not count.
   */
  readonly ifMatch?: string | undefined
}

export interface UploadOptions extends CallOptions {
  /** Called with the share that is sent, from 0 to 1. Outside of browsers, and with a `fetch` of your own, only with 1 at the end. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/** A picture that was uploaded. Set its `publicUrl` on a poll or a theme. */
export interface UploadedFile {
  readonly key: string
  readonly publicUrl: string
  readonly contentType: string
  readonly byteSize: number
  readonly width: number
  readonly height: number
}

export type ExportFormat = 'csv' | 'ndjson'

export interface ExportOptions extends CallOptions {
  /** A CSV file begins with a byte order mark, by which Excel reads it as UTF-8. */
  readonly bom?: boolean
}

const EXPORT_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

/** A visitor with tokens: it votes and reads as their device. */
export class AppClient extends Visitor {
  declare readonly isOfPage: boolean
  readonly #source: TokenSource | undefined
  readonly #tokens: Tokens | null
  readonly #service: ServiceOptions

  constructor({ auth, ...options }: TossupOptions) {
    super(options)
    this.#source = auth
    this.#service = options
    this.#tokens = auth ? new Tokens(this.http, auth) : null
    if (auth) this.isOfPage = false
  }

  /** Issues tokens for another device, which then votes or reads by itself. */
  issueTokens(asked: Exchange, options?: CallOptions): Promise<TokenPair> {
    return exchange(this.http, { ...this.#key(), ...asked }, options)
  }

  /** Exchanges a refresh token for a new pair. This client renews its own tokens by itself. */
  refreshTokens(refreshToken: string, options?: CallOptions): Promise<TokenPair> {
    return rotate(this.http, refreshToken, options)
  }

  /** Revokes an access or refresh token with its whole family; without one, the tokens of this client. */
  async revokeTokens(token?: string, options?: CallOptions): Promise<void> {
    const revoked = token ?? this.#tokens?.present
    if (!revoked) return
    await this.http.call('POST /auth/token/revoke', { body: { token: revoked } }, options)
    if (revoked === this.#tokens?.present) this.#tokens.forget()
  }

  /** Uploads a picture with a ticket. Tickets are valid for one upload, so it is not retried. */
  async uploadFile(
    ticket: UploadTicket,
    bytes: Blob | ArrayBuffer | Uint8Array,
    { onProgress, ...options }: UploadOptions = {},
  ): Promise<UploadedFile> {
    const { uploadUrl: address, headers } = ticket
    const fetch = onProgress && !this.#service.fetch ? fetchWithProgress(onProgress) : null
    const http = fetch ? new Http({ ...this.#service, fetch }) : this.http
    const answer = await http.once('PUT', { address, headers, bytes }, options)
    onProgress?.(1)
    return bodyOf(answer).data as UploadedFile
  }

  protected override async voter(options: VoteOptions): Promise<Caller> {
    return options.deviceId === undefined && this.#tokens ? this.#tokens : super.voter(options)
  }

  override async knownCaller(options: VoteOptions): Promise<Caller | null> {
    return options.deviceId === undefined && this.#tokens ? this.#tokens : super.knownCaller(options)
  }

  protected owner(): Tokens {
    if (this.#tokens) return this.#tokens
    throw new TossupError({ code: 'UNAUTHORIZED', message: 'This call requires `auth`: pass it to the constructor' })
  }

  #key() {
    if (this.#source && 'apiKeyId' in this.#source) return this.#source
    throw new TossupError({
      code: 'INVALID_API_KEY',
      message: 'This needs an API key, and the client was made without one',
    })
  }

  protected async read<E extends Endpoint>(endpoint: E, given: Given<E>, options?: CallOptions): Promise<DataOf<E>> {
    return this.#call(endpoint, given, options)
  }

  protected async write<E extends Endpoint>(
    endpoint: E,
    given: Given<E>,
    { ifMatch, ...options }: PatchOptions = {},
  ): Promise<DataOf<E>> {
    const key = { 'X-Service-Idempotency-Key': options.idempotencyKey ?? randomId() }
    const headers = ifMatch === undefined ? key : { ...key, 'If-Match': ifMatch }
    return this.#call(endpoint, { ...given, headers }, options)
  }

  /** Keeps the answer's ETag beside its data. */
  async #call<E extends Endpoint>(endpoint: E, outgoing: Outgoing, options?: CallOptions): Promise<DataOf<E>> {
    const answer = await this.http.send(endpoint, { ...outgoing, caller: this.owner() }, options)
    return keepTag(dataOf<E>(answer), answer.headers)
  }

  protected async export(
    endpoint: Endpoint,
    params: Record<string, string>,
    {
      format,
      bom = false,
      query = {},
      ...options
    }: ExportOptions & { format: ExportFormat; query?: Record<string, string> },
  ): Promise<ReadableStream<Uint8Array>> {
    const asked = bom ? { ...query, bom: '1' } : query
    return this.stream(endpoint, { params, query: asked, headers: { Accept: EXPORT_TYPES[format] } }, options)
  }

  /** The body of an answer that is not JSON. */
  protected async stream(
    endpoint: Endpoint,
    outgoing: Outgoing,
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    const { body } = await openAnswer(this.http, endpoint, { outgoing: { ...outgoing, caller: this.owner() }, options })
    if (body) return body
    throw new TossupError({ code: 'UNEXPECTED_ANSWER', message: 'The answer cannot be read as it comes' })
  }
}
