import type { LookupAddress } from 'node:dns'
import { request as startRequest } from 'node:http'
import { isIP, connect as plainConnect, type Socket, type TcpNetConnectOpts } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls'
import { errorCodeOf } from '../../../../base/errors.ts'
import { plainHost, portOf } from './url.ts'

/** The error class of an attempt, as the delivery log shows it. */
export const FAILURES = [
  'http_status',
  'redirect',
  'timeout',
  'address_refused',
  'connection_failed',
  'tls_failed',
  'malformed_answer',
] as const

export type Failure = (typeof FAILURES)[number]

/** Ends an attempt before there is an answer. */
export class AttemptFailed extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure)
    this.name = 'AttemptFailed'
    this.failure = failure
  }
}

/** Errors of the runtime's parser of HTTP. */
const MALFORMED = /^HPE_/
const TLS = /CERT|TLS|SSL|SIGNATURE|ISSUER|CHAIN|SELF_SIGNED/

/** Anything that the parser and TLS do not name is a connection failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AttemptFailed) return error.failure
  const code = errorCodeOf(error)
  if (MALFORMED.test(code)) return 'malformed_answer'
  return TLS.test(code) ? 'tls_failed' : 'connection_failed'
}

/** Share of one core for the connections of all attempts together. */
const SHARE = 0.4
/** Unused time that is kept for later. */
const SAVED_MS = 10
/** Processor time of a request with its connection, a TLS handshake, and each KiB of an answer in the costliest form. */
const START_MS = 0.5
const HANDSHAKE_MS = 0.8
const KIB_MS = 0.03

/** Spaces the starts of attempts by what they and their answers cost, so that hundreds of them leave the event loop to others. */
export class Spacing {
  #freeAt = 0
  #last: Promise<void> = Promise.resolve()

  /** Resolves in the order of the calls. */
  turn(isSecure: boolean): Promise<void> {
    this.#last = this.#last.then(async () => {
      while (this.#freeAt > performance.now()) await pause(this.#freeAt - performance.now())
      this.#spend(START_MS + (isSecure ? HANDSHAKE_MS : 0))
    })
    return this.#last
  }

  answered(bytes: number): void {
    this.#spend((bytes / 1_024) * KIB_MS)
  }

  #spend(ms: number): void {
    this.#freeAt = Math.max(this.#freeAt, performance.now() - SAVED_MS) + ms / SHARE
  }
}

/** A read of the runtime brings 64 KiB: thousands of informational answers or chunks, which its parser would read in one turn. */
const PIECE_BYTES = 2_048

/** A connection whose answer comes in small pieces, each in its own turn of the event loop. */
class Pieces extends Duplex {
  readonly #socket: Socket
  #left: Buffer = Buffer.alloc(0)
  /** How the connection ended. */
  #end: (() => void) | null = null

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => {
      socket.pause()
      this.#left = bytes
      this.#next()
    })
    socket.on('end', () => this.#ends(() => this.push(null)))
    socket.on('error', (error) => this.#ends(() => this.destroy(error)))
    socket.on('close', () => this.#ends(() => this.destroy()))
  }

  /** After the pieces that came before. */
  #ends(end: () => void): void {
    this.#end ??= end
    if (this.#left.length === 0) this.#end()
  }

  #next(): void {
    if (this.destroyed || this.#left.length === 0) return
    const piece = this.#left.subarray(0, PIECE_BYTES)
    this.#left = this.#left.subarray(PIECE_BYTES)
    this.push(piece)
  }

  override _read(): void {
    if (this.#left.length > 0) setImmediate(() => this.#next())
    else if (this.#end) this.#end()
    else this.#socket.resume()
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    // The socket's own error comes later and says more, such as that of a certificate.
    this.#socket.write(bytes, () => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/** Limits of one answer, in any form. */
const LIMITS = {
  /** In all: heads, informational answers, the sizes of chunks and their extensions, and the body. */
  bytes: 64 * 1_024,
  /** 100 Continue, 103 Early Hints and others before the answer itself. */
  informational: 8,
  /** However few bytes each read brings. */
  reads: 128,
} as const

/** A name with more addresses than these is not tried further. */
const MOST_TRIED = 4
const KEPT_BYTES = 1_024

export interface Posted {
  readonly status: number
  readonly retryAfter: string | null
  /** The first KiB of the answer, or as much as was asked for, as valid text. */
  readonly text: string
}

interface Exchange {
  readonly method: 'GET' | 'POST'
  readonly keptBytes?: number | undefined
  readonly url: URL
  /** Checked; never resolved again. */
  readonly addresses: readonly LookupAddress[]
  readonly headers: Readonly<Record<string, string | number>>
  readonly content: Buffer
  /** Aborted at the deadline, or when the service stops. */
  readonly ended: AbortSignal
  readonly spacing: Spacing
  readonly ca: string | undefined
}

/**
 * Sends one request and reads its answer, within the limits: the runtime's client reads informational answers and bodies
 * without end. A status that has arrived decides, however its body ends.
 */
export function exchange(given: Exchange): Promise<Posted> {
  const { method, url, addresses, headers, content, ended, spacing, ca, keptBytes = KEPT_BYTES } = given
  const request = startRequest({
    method,
    host: plainHost(url),
    port: portOf(url),
    defaultPort: url.protocol === 'https:' ? 443 : 80,
    path: url.pathname + url.search,
    headers,
    // One connection for each attempt, so that the next one is checked again.
    createConnection: () => new Pieces(connect({ url, addresses, ca })),
  })
  return new Promise<Posted>((resolve, reject) => {
    let answer: Omit<Posted, 'text'> | null = null
    const kept: Buffer[] = []
    const finish = (failure: unknown) => {
      ended.removeEventListener('abort', onAbort)
      request.destroy()
      if (answer) resolve({ ...answer, text: textOf(Buffer.concat(kept).subarray(0, keptBytes)) })
      else reject(failure)
    }
    const malformed = () => finish(new AttemptFailed('malformed_answer'))
    const onAbort = () => finish(ended.reason)
    if (ended.aborted) onAbort()
    ended.addEventListener('abort', onAbort, { once: true })
    request.on('error', finish)
    request.on('upgrade', malformed)
    let informational = 0
    request.on('information', () => {
      if (++informational > LIMITS.informational) malformed()
    })
    request.on('socket', (socket) => {
      let bytes = 0
      let reads = 0
      socket.on('data', (data: Buffer) => {
        bytes += data.length
        spacing.answered(data.length)
        if (bytes < LIMITS.bytes && ++reads < LIMITS.reads) return
        socket.pause()
        // A status and a body that came with these bytes are told first.
        setImmediate(malformed)
      })
    })
    request.on('response', (response) => {
      const { statusCode = 0 } = response
      // 101 Switching Protocols without a protocol.
      if (statusCode < 200) return malformed()
      answer = { status: statusCode, retryAfter: response.headers['retry-after'] ?? null }
      let room = keptBytes
      response.on('data', (data: Buffer) => {
        if (room > 0) kept.push(data)
        room -= data.length
      })
      response.on('error', finish)
      response.on('close', finish)
    })
    request.end(content)
  })
}

function connect({ url, addresses, ca }: Pick<Exchange, 'url' | 'addresses' | 'ca'>): Socket {
  const host = plainHost(url)
  const to = {
    host,
    port: portOf(url),
    // Node skips `lookup` for a literal address, which is then the address that was checked.
    lookup: (_host: string, _options: object, found: (error: null, addresses: LookupAddress[]) => void) =>
      found(null, addresses.slice(0, MOST_TRIED)),
  }
  if (url.protocol !== 'https:') return plainConnect(to as TcpNetConnectOpts)
  const name = isIP(host) === 0 ? { servername: host } : {}
  return tlsConnect({
    ...to,
    ...name,
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
  } as ConnectionOptions)
}

/** Drops a character that is cut in two at the end, and replaces U+0000, which PostgreSQL refuses. */
const textOf = (kept: Buffer): string => new TextDecoder().decode(kept, { stream: true }).replaceAll('\0', '\ufffd')
