import { isTossupError } from './errors.ts'
import type { PollTallies } from './openapi.ts'
import { EventReader } from './tally-events.ts'
import { bodyOf, type Http, waitAfter } from './wire/http.ts'
import { openAnswer } from './wire/open-answer.ts'
import { sleep } from './wire/retry.ts'

/** The service sends something at least every 25 seconds. */
const SILENCE_MS = 45_000
const ASKS_BEFORE_STREAM = 12
const NEVER = Number.POSITIVE_INFINITY

export interface WatchOptions {
  /** Ends it, without an error. */
  readonly signal?: AbortSignal | undefined
  /** The polling interval while no stream is open. Default: 5 seconds. */
  readonly pollEveryMs?: number | undefined
  /** False never opens a stream. */
  readonly stream?: boolean | undefined
}

/**
 * Yields the present tallies, read at once, and then each change: from a live stream if possible, else by polling with an
 * ETag, so that an unchanged poll costs a few bytes. Reconnects by itself. Several polls share one stream. Polls that are deleted are left
 * out; the last one ends it with `NOT_FOUND`.
 */
export async function* watchTallies(
  http: Http,
  slugs: string | readonly string[],
  options: WatchOptions = {},
): AsyncGenerator<PollTallies, void, undefined> {
  const { signal } = options
  const round = rounds(http, new Set([slugs].flat()), options)
  const last: Record<string, PollTallies> = {}
  let failures = 0
  while (!signal?.aborted) {
    const leaving = new AbortController()
    const leave = () => leaving.abort(signal?.reason)
    signal?.addEventListener('abort', leave)
    try {
      for await (const tallies of round(leaving.signal)) {
        failures = 0
        if (!isNews(tallies, last[tallies.slug])) continue
        last[tallies.slug] = tallies
        yield tallies
      }
    } catch (error) {
      const wait = waitAfter(error, ++failures, NEVER)
      if (signal?.aborted) return
      if (wait === null) throw error
      await sleep(wait, signal).catch(() => null)
    } finally {
      signal?.removeEventListener('abort', leave)
      leave()
    }
  }
}

/** A polled state may be slightly older than one that was streamed before. */
const isNews = (tallies: PollTallies, last: PollTallies | undefined): boolean =>
  tallies.updatedAt >= (last?.updatedAt ?? '') && JSON.stringify(tallies) !== JSON.stringify(last)

/** A function that runs one connection, or some polls. */
function rounds(http: Http, slugs: Set<string>, { pollEveryMs = 5_000, stream = true }: WatchOptions) {
  /** Polls before a stream is tried again. */
  let asks = stream ? 0 : NEVER
  const etags: Record<string, string> = {}

  async function ask(slug: string, signal: AbortSignal): Promise<PollTallies | null> {
    const headers = etags[slug] ? { 'If-None-Match': etags[slug] } : {}
    // A poll that is gone ends the watch of no other.
    const isFine = (status: number) => status === 304 || (status === 404 && slugs.size > 1)
    const answer = await http.once('GET /polls/{slug}/tallies', { params: { slug }, headers, isFine }, { signal })
    if (answer.status === 404) slugs.delete(slug)
    etags[slug] = answer.headers.get('etag') ?? ''
    return answer.status === 200 ? (bodyOf(answer).data as PollTallies) : null
  }

  /** Null where polls are left: answers cannot be streamed, or this stream is refused or held back. A poll throws what lasts. */
  async function open(signal: AbortSignal): Promise<Opened | null> {
    // Without `Last-Event-ID`, for which a browser would first ask the service: what is sent twice is no news.
    const call = { outgoing: { query: { polls: [...slugs].join() } }, options: { signal, retries: 0 } }
    try {
      const answer = await openAnswer(http, 'GET /tallies/stream', call)
      const isStream = answer.headers.get('content-type')?.includes('event-stream')
      const reader = (isStream ? answer.body?.getReader() : null) as ReadableStreamDefaultReader | null
      const first = reader && (await nextPiece(reader))
      if (first) return { reader, first }
      asks = reader ? ASKS_BEFORE_STREAM : NEVER
    } catch (error) {
      asks = isTossupError(error, 'NETWORK_ERROR') ? 1 : ASKS_BEFORE_STREAM
    }
    return null
  }

  async function* read({ reader, first }: Opened): AsyncGenerator<PollTallies, void, undefined> {
    const events = new EventReader()
    const decoder = new TextDecoder()
    for (let piece: Uint8Array | undefined = first; piece; piece = await nextPiece(reader)) {
      for (const { event, data } of events.take(decoder.decode(piece, { stream: true })))
        if (event === 'tallies') yield JSON.parse(data) as PollTallies
    }
  }

  async function* askEach(signal: AbortSignal, orOpen: OrOpen): AsyncGenerator<PollTallies, void, undefined> {
    for (const slug of slugs) {
      const asked = await orOpen(() => ask(slug, signal))
      if (asked) yield asked
    }
    await orOpen(() => sleep(pollEveryMs, signal))
  }

  return async function* round(signal: AbortSignal): AsyncGenerator<PollTallies, void, undefined> {
    const opening = asks ? null : open(signal)
    let isOver = false
    const isOpen = opening?.then((): undefined => {
      isOver = true
    })
    const orOpen: OrOpen = async (start) => {
      if (isOver) return undefined
      return opening === null ? start() : Promise.race([start(), isOpen])
    }
    // Polls until the stream delivers, which it never does where answers cannot be read as they come.
    while (!isOver) {
      yield* askEach(signal, orOpen)
      if (!opening) isOver = !--asks
    }
    const opened = await opening
    if (!opened) return
    yield* read(opened)
    // Spread, so that not everybody returns to a restarted service at once.
    await sleep(pollEveryMs * Math.random(), signal)
  }
}

/** Starts a work, and leaves it when the stream has opened. */
type OrOpen = <T>(start: () => Promise<T>) => Promise<T | undefined>

/** A stream that has delivered its first bytes. */
interface Opened {
  readonly reader: ReadableStreamDefaultReader
  readonly first: Uint8Array
}

/** Undefined after any end: cut, silent or closed. */
async function nextPiece(reader: ReadableStreamDefaultReader): Promise<Uint8Array | undefined> {
  const silence = setTimeout(() => void reader.cancel(), SILENCE_MS)
  const piece = await reader.read().catch(() => null)
  clearTimeout(silence)
  return piece?.value
}
