import { isTossupError } from './errors.ts'
import type { PollTallies } from './openapi.ts'
import { EventReader } from './tally-events.ts'
import { bodyOf, type Http, waitAfter } from './wire/http.ts'
import { openAnswer } from './wire/open-answer.ts'
import { sleep } from './wire/retry.ts'

/** The service sends something at least every 25 seconds. */
const SILENCE_MS = 45_000
const ASKS_BEFORE_STREAM = 12

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
 * ETag, so that an unchanged poll costs a few bytes. Reconnects by itself. A deleted poll ends it with `NOT_FOUND`.
 */
export async function* watchTallies(
  http: Http,
  slug: string,
  options: WatchOptions = {},
): AsyncGenerator<PollTallies, void, undefined> {
  const { signal } = options
  const round = rounds(http, slug, options)
  let last: PollTallies | null = null
  let failures = 0
  while (!signal?.aborted) {
    const leaving = new AbortController()
    const leave = () => leaving.abort(signal?.reason)
    signal?.addEventListener('abort', leave)
    try {
      for await (const tallies of round(leaving.signal)) {
        failures = 0
        if (!isNews(tallies, last)) continue
        last = tallies
        yield tallies
      }
    } catch (error) {
      const wait = waitAfter(error, ++failures, Number.POSITIVE_INFINITY)
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
const isNews = (tallies: PollTallies, last: PollTallies | null): boolean =>
  last === null || (tallies.updatedAt >= last.updatedAt && JSON.stringify(tallies) !== JSON.stringify(last))

/** A function that runs one connection, or some polls. */
function rounds(http: Http, slug: string, { pollEveryMs = 5_000, stream = true }: WatchOptions) {
  const params = { slug }
  /** Polls before a stream is tried again. */
  let asks = stream ? 0 : Number.POSITIVE_INFINITY
  let lastEventId = ''
  let etag = ''

  async function ask(signal: AbortSignal): Promise<PollTallies | null> {
    const headers = etag ? { 'If-None-Match': etag } : {}
    const outgoing = { params, headers, isFine: (status: number) => status === 304 }
    const answer = await http.once('GET /polls/{slug}/tallies', outgoing, { signal })
    etag = answer.headers.get('etag') ?? etag
    return answer.status === 304 ? null : (bodyOf(answer).data as PollTallies)
  }

  /** Null where polls are left: answers cannot be streamed, or this stream is refused or held back. A poll throws what lasts. */
  async function open(signal: AbortSignal): Promise<Opened | null> {
    const headers = lastEventId ? { 'Last-Event-ID': lastEventId } : {}
    const call = { outgoing: { params, headers }, options: { signal, retries: 0 } }
    try {
      const answer = await openAnswer(http, 'GET /polls/{slug}/tallies/stream', call)
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
      const reader = (isStream ? answer.body?.getReader() : null) as ReadableStreamDefaultReader | null
      const first = reader && (await nextPiece(reader))
      if (first) return { reader, first }
      asks = reader ? ASKS_BEFORE_STREAM : Number.POSITIVE_INFINITY
    } catch (error) {
      asks = isTossupError(error, 'NETWORK_ERROR') ? 1 : ASKS_BEFORE_STREAM
    }
    return null
  }

  async function* read({ reader, first }: Opened): AsyncGenerator<PollTallies, void, undefined> {
    const events = new EventReader()
    const decoder = new TextDecoder()
    for (let piece: Uint8Array | undefined = first; piece; piece = await nextPiece(reader)) {
      for (const { id, event, data } of events.take(decoder.decode(piece, { stream: true }))) {
        lastEventId = id
        if (event === 'tallies') yield JSON.parse(data) as PollTallies
      }
    }
  }

  return async function* round(signal: AbortSignal): AsyncGenerator<PollTallies, void, undefined> {
    const opening = asks ? null : open(signal)
    let isOver = false
    const isOpen = Promise.resolve(opening).then(() => {
      isOver = true
      return null
    })
    const orOpen = <T>(work: Promise<T>): Promise<T | null> => (opening === null ? work : Promise.race([work, isOpen]))
    // Polls until the stream delivers, which it never does where answers cannot be read as they come.
    while (!isOver) {
      const asked = await orOpen(ask(signal))
      if (asked) yield asked
      if (!isOver) await orOpen(sleep(pollEveryMs, signal))
      if (!opening) isOver = !--asks
    }
    const opened = await opening
    if (!opened) return
    yield* read(opened)
    // Spread, so that not everybody returns to a restarted service at once.
    await sleep(pollEveryMs * Math.random(), signal)
  }
}

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
