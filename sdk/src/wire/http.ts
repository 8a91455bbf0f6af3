import { isTossupError, TossupError } from '../errors.ts'
import type { Endpoints } from '../openapi.ts'
import { backoff, isPassing, retryAfterOf, sleep } from './retry.ts'

const PREFIX = '/api/rest/v1'
/** Above this `Retry-After` the error is thrown at once, unless the call sets another limit. */
const PATIENCE_MS = 30_000

export type Endpoint = keyof Endpoints
/** The input of an operation. */
export type Given<E extends Endpoint> = Omit<Endpoints[E], 'operation' | 'data'>
/** The answer of an operation. */
export type DataOf<E extends Endpoint> = Endpoints[E]['data']

/** Options of the connection to a service. */
export interface ServiceOptions {
  /** The origin of the service, as `https://polls.example.com`. */
  readonly url: string
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** The timeout of one attempt. Default: 10 seconds. */
  readonly timeoutMs?: number
  /** How often a temporary failure is retried. Default: 3. */
  readonly retries?: number
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, its retries and its waiting, with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** The longest `Retry-After` to wait for. Default: 30 seconds. */
  readonly patienceMs?: number | undefined
}

/** With the code of a vote: see `VoteOptions`. */
interface CodedOptions extends CallOptions {
  readonly code?: string | undefined
}

/** The caller of a request: supplies its credentials. */
export interface Caller {
  headers(signal?: AbortSignal): Promise<Record<string, string>>
  /** Called when these headers were answered 401. Returns true when new ones may succeed. */
  refused?(headers: Readonly<Record<string, string>>): boolean
}

export interface Outgoing {
  readonly caller?: Caller
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, instead of `body`. */
  readonly bytes?: string | Blob | ArrayBuffer | Uint8Array
  /** Instead of the endpoint's. */
  readonly address?: string
  /** Statuses above 299 that count as answers. */
  readonly isFine?: (status: number) => boolean
  /** Called with the failure before each retry. */
  readonly onRetry?: (failure: unknown) => void
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Sending {
  readonly endpoint: Endpoint | 'PUT'
  readonly outgoing: Outgoing
  readonly options: CallOptions | undefined
}

/** Sends requests, with retries. */
export class Http {
  /** Without a trailing slash. */
  readonly origin: string
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number
  readonly #retries: number

  constructor({ url, fetch = globalThis.fetch, timeoutMs = 10_000, retries = 3 }: ServiceOptions) {
    this.origin = url.replace(/\/+$/, '')
    // A browser's fetch must be called on its window.
    this.#fetch = fetch.bind(globalThis)
    this.#timeoutMs = timeoutMs
    this.#retries = retries
  }

  /** The data of an answer. */
  async call<E extends Endpoint>(
    endpoint: E,
    outgoing: Outgoing & Given<E>,
    options?: CallOptions,
  ): Promise<DataOf<E>> {
    return dataOf<E>(await this.send(endpoint, outgoing, options))
  }

  /** With retries: for requests that can be repeated safely. */
  send(endpoint: Endpoint, outgoing: Outgoing, options?: CallOptions): Promise<Answer> {
    // Without a prototype: a script of the page may have extended `Object.prototype`.
    const own: CallOptions = { __proto__: null, ...options } as CallOptions
    return this.insist((identified) => this.once(endpoint, identified, own), outgoing, own)
  }

  /** One attempt without credentials. `PUT` alone is for the address of an upload, which is not part of the interface. */
  once(endpoint: Sending['endpoint'], outgoing: Outgoing, options?: CallOptions): Promise<Answer> {
    return this.attempt({ endpoint, outgoing, options }, async (response, attempt) => {
      const answer = await answerOf(response, outgoing)
      attempt.end()
      return answer
    })
  }

  /** Ends itself on failure; otherwise the reader of the answer ends it. */
  async attempt<T>(
    { endpoint, outgoing, options: { signal, timeoutMs = this.#timeoutMs } = {} }: Sending,
    read: (response: Response, attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const attempt = new Attempt(signal, timeoutMs)
    try {
      return await read(await this.#fetchIt(endpoint, outgoing, attempt.signal), attempt)
    } catch (error) {
      attempt.end()
      throw attempt.explain(error)
    }
  }

  /** Repeats an attempt while its failure is temporary. */
  async insist<T>(
    attempt: (identified: Outgoing) => Promise<T>,
    outgoing: Outgoing,
    { signal, retries = this.#retries, code, patienceMs = PATIENCE_MS }: CodedOptions = {},
  ): Promise<T> {
    const { caller, onRetry } = outgoing
    let isRenewed = false
    for (let failures = 1; ; failures++) {
      const identity = (await caller?.headers(signal)) ?? {}
      try {
        return await attempt({
          __proto__: null,
          ...outgoing,
          // A header holds no letter outside of ASCII, and neither does a code.
          headers: { ...outgoing.headers, ...(code && { 'X-Vote-Code': code.replace(/\W/g, '') }), ...identity },
        } as Outgoing)
      } catch (error) {
        if (!isRenewed && isTossupError(error, 'UNAUTHORIZED') && caller?.refused?.(identity)) {
          isRenewed = true
          continue
        }
        const wait = failures > retries ? null : waitAfter(error, failures, patienceMs)
        if (wait === null) throw error
        await sleep(wait, signal)
        onRetry?.(error)
      }
    }
  }

  #fetchIt(endpoint: Sending['endpoint'], outgoing: Outgoing, signal: AbortSignal): Promise<Response> {
    const [method = '', path = ''] = endpoint.split(' ')
    const { body, headers, bytes = JSON.stringify(body) } = outgoing
    return this.#fetch(outgoing.address ?? this.#address(path, outgoing), {
      method,
      headers: { ...(body ? { 'Content-Type': 'application/json' } : null), ...headers },
      signal,
      body: bytes as string,
    })
  }

  #address(path: string, { params = {}, query = {} }: Outgoing): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const search = Object.entries(query)
      .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
      .join('&')
    return this.origin + PREFIX + filled + (search && `?${search}`)
  }
}

/** Null if another attempt would not help, or would come too late. */
export function waitAfter(error: unknown, failures: number, patienceMs: number): number | null {
  if (!(error instanceof TossupError) || !isPassing(error.status, error.code)) return null
  const asked = error.retryAfterMs ?? 0
  return asked > patienceMs ? null : asked + backoff(failures)
}

export const dataOf = <E extends Endpoint>(answer: Answer): DataOf<E> =>
  (answer.status === 204 ? undefined : bodyOf(answer).data) as DataOf<E>

/** The body, which must hold `data`: a 200 without it is a captive portal. */
export function bodyOf({ status, text }: Answer): { data: unknown } {
  try {
    const body = JSON.parse(text) as { data: unknown }
    if ('data' in body) return body
  } catch {
    // Said below.
  }
  throw unexpected({ status })
}

const unexpected = (told: Pick<TossupError, 'status'> & Partial<TossupError>): TossupError =>
  new TossupError({ code: 'UNEXPECTED_ANSWER', message: 'Not an answer', ...told })

export async function answerOf(response: Response, { isFine }: Outgoing): Promise<Answer> {
  const { status, headers } = response
  const answer = { status, headers, text: await response.text() }
  if (response.ok || isFine?.(status)) return answer
  throw errorOf(answer)
}

function errorOf({ status, headers, text }: Answer): TossupError {
  const retryAfterMs = retryAfterOf(headers)
  const requestId = headers.get('x-request-id')
  try {
    const { error } = JSON.parse(text) as { error: ConstructorParameters<typeof TossupError>[0] }
    return new TossupError({ ...error, code: error.code, status, retryAfterMs })
  } catch {
    // A proxy answered, not the service.
    return unexpected({ status, requestId, retryAfterMs })
  }
}

/** The timeout and abort of one attempt. `AbortSignal.any` and `timeout` are not available everywhere. */
class Attempt {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #timer: ReturnType<typeof setTimeout>
  #isLate = false

  constructor(outer: AbortSignal | undefined, timeoutMs: number) {
    this.#outer = outer
    this.#timer = setTimeout(() => {
      this.#isLate = true
      this.#controller.abort()
    }, timeoutMs)
    if (outer?.aborted) this.#leave()
    else outer?.addEventListener('abort', this.#leave)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stopClock(): void {
    clearTimeout(this.#timer)
  }

  end(): void {
    this.stopClock()
    this.#outer?.removeEventListener('abort', this.#leave)
  }

  explain(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason
    if (error instanceof TossupError) return error
    const told = this.#isLate
      ? ({ code: 'TIMEOUT', message: 'No answer' } as const)
      : ({ code: 'NETWORK_ERROR', message: 'Not reached' } as const)
    return new TossupError({ ...told, cause: error })
  }

  readonly #leave = () => this.#controller.abort(this.#outer?.reason)
}
