import { type DetailsOf, isTossupError, type ServiceCode, TossupError } from './errors.ts'
import type { Endpoints, ErrorBody } from './openapi.ts'
import { backoff, isPassing, retryAfterOf, sleep } from './retry.ts'

const PREFIX = '/api/rest/v1'
/** When the service asks for more patience than this, the error comes at once, unless the call has another. */
const PATIENCE_MS = 30_000

export type Endpoint = keyof Endpoints
/** What an operation wants to be told. */
export type Given<E extends Endpoint> = Omit<Endpoints[E], 'operation' | 'data'>
/** What it answers. */
export type DataOf<E extends Endpoint> = Endpoints[E]['data']

/** How to reach a service. */
export interface ServiceOptions {
  /** The origin of the service, as `https://polls.example.com`. */
  readonly url: string
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** How long one attempt may take; 10 seconds unless said otherwise. */
  readonly timeoutMs?: number
  /** How often an attempt that failed in passing is repeated; 3 times unless said otherwise. */
  readonly retries?: number
}

/** What every call takes besides. */
export interface CallOptions {
  /** Ends the call, its retries and its waiting, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** The longest `Retry-After` that is waited for; half a minute unless said otherwise. */
  readonly patienceMs?: number | undefined
}

/** Who asks. */
export interface Caller {
  headers(signal?: AbortSignal): Promise<Record<string, string>>
  /** Told that these headers were answered 401. True when others may fare better. */
  refused?(headers: Readonly<Record<string, string>>): boolean
}

export interface Outgoing {
  readonly caller?: Caller
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** In place of `body`, sent as it is. */
  readonly bytes?: string | Blob | ArrayBuffer | Uint8Array
  /** In place of the endpoint's. */
  readonly address?: string
  /** Beside the interface, not under it. */
  readonly isOutside?: boolean
  /** Statuses above 299 that are answers all the same. */
  readonly isFine?: (status: number) => boolean
  /** Told of the failure before each repetition. */
  readonly onRetry?: (failure: unknown) => void
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Sending {
  readonly endpoint: Endpoint
  readonly outgoing: Outgoing
  readonly options: CallOptions | undefined
}

/** Sends requests until they are answered or it is plain that they will not be. */
export class Http {
  /** Without a slash at its end. */
  readonly origin: string
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number
  readonly #retries: number

  constructor({ url, fetch = globalThis.fetch, timeoutMs = 10_000, retries = 3 }: ServiceOptions) {
    this.origin = url.replace(/\/+$/, '')
    // A browser's fetch wants to be called on its window.
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

  /** With retries: for what may be repeated without harm. */
  send(endpoint: Endpoint, outgoing: Outgoing, options?: CallOptions): Promise<Answer> {
    return this.insist((identified) => this.once(endpoint, identified, options), outgoing, options)
  }

  /** One attempt, by nobody in particular. */
  once(endpoint: Endpoint, outgoing: Outgoing, options?: CallOptions): Promise<Answer> {
    return this.attempt({ endpoint, outgoing, options }, async (response, attempt) => {
      const answer = await answerOf(response, outgoing)
      attempt.end()
      return answer
    })
  }

  /** It ends by itself when it fails; else whoever reads the answer ends it. */
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

  /** Again and again, as long as it may pass. */
  async insist<T>(
    attempt: (identified: Outgoing) => Promise<T>,
    outgoing: Outgoing,
    { signal, retries = this.#retries, patienceMs = PATIENCE_MS }: CallOptions = {},
  ): Promise<T> {
    const { caller, onRetry } = outgoing
    let isRenewed = false
    for (let failures = 1; ; failures++) {
      const identity = (await caller?.headers(signal)) ?? {}
      try {
        return await attempt({ ...outgoing, headers: { ...outgoing.headers, ...identity } })
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

  #fetchIt(endpoint: Endpoint, outgoing: Outgoing, signal: AbortSignal): Promise<Response> {
    const [method = '', path = ''] = endpoint.split(' ')
    const { body, headers, bytes = body === undefined ? undefined : JSON.stringify(body) } = outgoing
    return this.#fetch(outgoing.address ?? this.#address(path, outgoing), {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      signal,
      ...(bytes === undefined ? {} : { body: bytes as string }),
    })
  }

  #address(path: string, { params = {}, query = {}, isOutside }: Outgoing): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const search = Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join('&')
    return this.origin + (isOutside ? '' : PREFIX) + filled + (search && `?${search}`)
  }
}

/** Null where another attempt would not help, or would be too long in coming. */
function waitAfter(error: unknown, failures: number, patienceMs: number): number | null {
  if (!(error instanceof TossupError) || !isPassing(error.status, error.code)) return null
  const asked = error.retryAfterMs ?? 0
  return asked > patienceMs ? null : asked + backoff(failures)
}

export const dataOf = <E extends Endpoint>(answer: Answer): DataOf<E> =>
  (answer.status === 204 ? undefined : bodyOf(answer).data) as DataOf<E>

/** The whole body, which holds `data`: what else comes with 200 is the login page of some network. */
export function bodyOf({ status, text }: Answer): { data: unknown } {
  try {
    const body = JSON.parse(text) as { data: unknown }
    if ('data' in body) return body
  } catch {
    // Said below.
  }
  throw new TossupError({ code: 'UNEXPECTED_ANSWER', message: 'The answer is not one of the service', status })
}

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
    const { error } = JSON.parse(text) as ErrorBody
    const details = error.details as DetailsOf<ServiceCode>
    return new TossupError({ ...error, code: error.code, details, status, retryAfterMs })
  } catch {
    // Not of the service: of a proxy before it.
    const message = `The service answered ${status}`
    return new TossupError({ code: 'UNEXPECTED_ANSWER', message, status, requestId, retryAfterMs })
  }
}

/** The time of one attempt, and its end. `AbortSignal.any` and `timeout` are not everywhere. */
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
    else outer?.addEventListener('abort', this.#leave, { once: true })
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
    if (this.#isLate) return new TossupError({ code: 'TIMEOUT', message: 'No answer', cause: error })
    return new TossupError({ code: 'NETWORK_ERROR', message: 'The service cannot be reached', cause: error })
  }

  readonly #leave = () => this.#controller.abort(this.#outer?.reason)
}
