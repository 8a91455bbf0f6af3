import { isTossupError } from './errors.ts'
import type { PollTallies } from './openapi.ts'
import { EventReader } from './tally-events.ts'
import { bodyOf, type Http } from './wire/http.ts'
import { openAnswer } from './wire/open-answer.ts'
import { backoff, isPassing, sleep } from './wire/retry.ts'

/** The service sends something at least every 25 seconds. */
const SILENCE_MS = 45_000
const ASKS_BEFORE_STREAM = 12

export interface WatchOptions {
  /** Ends it, without an error. */
  readonly signal?: AbortSignal | undefined
  /** The polling interval without a stream. Default: 5 seconds. */
  readonly pollEveryMs?: number | undefined
  /** False never opens a stream. */
  readonly stream?: boolean | undefined
}

/**
 * Yields the present tallies and then each change: from a live stream if possible, else by polling with an ETag, so that
 * an unchanged poll costs a few bytes. Reconnects by itself. A deleted poll ends it with `NOT_FOUND`.
 */
export async function* watchTallies(
  http: Http,
  slug: string,
  options: WatchOptions = {},
): AsyncGenerator<PollTallies, void, undefined> {
  const watch = new TallyWatch(http, slug, options)
  let last: PollTallies | null = null
  try {
    for (;;) {
      for await (const tallies of watch.round()) {
        if (!isNews(tallies, last)) continue
        last = tallies
        yield tallies
      }
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error
  }
}

/** A polled state may be slightly older than one that was streamed before. */
const isNews = (tallies: PollTallies, last: PollTallies | null): boolean =>
  last === null || (tallies.updatedAt >= last.updatedAt && JSON.stringify(tallies) !== JSON.stringify(last))

function waitAfter(error: unknown, failures: number): number {
  if (!isTossupError(error) || !isPassing(error.status, error.code)) throw error
  return (error.retryAfterMs ?? 0) + backoff(failures)
}

class TallyWatch {
  readonly #http: Http
  readonly #slug: string
  readonly #signal: AbortSignal | undefined
  readonly #pollEveryMs: number
  /** Polls before a stream is tried again. */
  #asks: number
  #failures = 0
  #lastEventId = ''
  #etag = ''
  #retryMs = 1_000

  constructor(http: Http, slug: string, { signal, pollEveryMs = 5_000, stream = true }: WatchOptions) {
    this.#http = http
    this.#slug = slug
    this.#signal = signal
    this.#pollEveryMs = pollEveryMs
    this.#asks = stream ? 0 : Number.POSITIVE_INFINITY
  }

  /** One connection, or some polls, and the wait after it. */
  async *round(): AsyncGenerator<PollTallies, void, undefined> {
    try {
      for await (const tallies of this.#asks === 0 ? this.#streamed() : this.#asked()) {
        this.#failures = 0
        yield tallies
      }
    } catch (error) {
      this.#failures++
      await sleep(waitAfter(error, this.#failures), this.#signal)
      // A refused stream means that the service has too many; an unreachable service does not.
      const isRefused = isTossupError(error) && error.status > 0
      this.#asks = Math.max(this.#asks, isRefused ? ASKS_BEFORE_STREAM : 1)
    }
  }

  /** Until the connection ends. */
  async *#streamed(): AsyncGenerator<PollTallies, void, undefined> {
    const leaving = new AbortController()
    const leave = () => leaving.abort(this.#signal?.reason)
    if (this.#signal?.aborted) leave()
    this.#signal?.addEventListener('abort', leave, { once: true })
    try {
      const body = await this.#openStream(leaving.signal)
      if (body) yield* this.#read(body, leaving)
      else this.#asks = Number.POSITIVE_INFINITY
    } finally {
      this.#signal?.removeEventListener('abort', leave)
      leaving.abort()
    }
  }

  async *#asked(): AsyncGenerator<PollTallies, void, undefined> {
    for (; this.#asks > 0; this.#asks--) {
      const tallies = await this.#ask()
      if (tallies) yield tallies
      await sleep(this.#pollEveryMs, this.#signal)
    }
  }

  async #ask(): Promise<PollTallies | null> {
    const headers = this.#etag ? { 'If-None-Match': this.#etag } : {}
    const isFine = (status: number) => status === 304
    const outgoing = { params: { slug: this.#slug }, headers, isFine }
    const answer = await this.#http.once('GET /polls/{slug}/tallies', outgoing, { signal: this.#signal })
    this.#etag = answer.headers.get('etag') ?? this.#etag
    return answer.status === 304 ? null : (bodyOf(answer).data as PollTallies)
  }

  /** Null where answers cannot be streamed: in React Native, or behind a buffering proxy. */
  async #openStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
    const headers = this.#lastEventId ? { 'Last-Event-ID': this.#lastEventId } : {}
    const outgoing = { params: { slug: this.#slug }, headers }
    const options = { signal, retries: 0 }
    const stream = await openAnswer(this.#http, 'GET /polls/{slug}/tallies/stream', { outgoing, options })
    const { body, headers: said } = stream
    return said.get('content-type')?.startsWith('text/event-stream') ? (body ?? null) : null
  }

  async *#read(
    body: ReadableStream<Uint8Array>,
    leaving: AbortController,
  ): AsyncGenerator<PollTallies, void, undefined> {
    const events = new EventReader()
    const decoder = new TextDecoder()
    const reader = body.getReader()
    for (;;) {
      const silence = setTimeout(() => leaving.abort(), SILENCE_MS)
      const piece = await reader.read().catch(() => null)
      clearTimeout(silence)
      // After any end (cut, silent or closed) the stream is opened again.
      if (!piece || piece.done) return
      for (const { id, event, data } of events.take(decoder.decode(piece.value, { stream: true }))) {
        this.#lastEventId = id
        if (event === 'tallies') yield JSON.parse(data) as PollTallies
      }
      this.#retryMs = events.retryMs ?? this.#retryMs
    }
  }
}
