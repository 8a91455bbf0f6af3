import { reasonOf } from './errors.ts'
import type { Semaphore } from './work/semaphore.ts'

interface Bounds {
  /** The server, as errors call it. */
  readonly name: string
  /** `fetch` has 256 connections in all: each kind of request has its own share, so that none takes the last one of another. */
  readonly share: Semaphore
  /** Until the head, and between two pieces of the body. */
  readonly silenceMs: number
  readonly totalMs: number
  readonly mostBytes: number
}

/**
 * `fetch` from a server that may be broken or hostile: an answer that is too long or too slow is an error, and so is one that
 * ends before its Content-Length. Nothing is read ahead of the reader, and nothing is decompressed, because it could grow.
 */
export async function boundedFetch(url: string, init: RequestInit, bounds: Bounds): Promise<Response> {
  const { name, share, silenceMs, totalMs, mostBytes } = bounds
  if (!share.tryAcquire()) throw new Error(`too many requests to ${name} are open`)
  const late = new AbortController()
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    clearTimeout(total)
    clearTimeout(silence)
    share.release()
  }
  const giveUp = () => {
    late.abort(new Error(`${name} did not answer in time`))
    end()
  }
  const total = setTimeout(giveUp, totalMs)
  let silence = setTimeout(giveUp, silenceMs)
  const failed = (error: unknown): never => {
    const cause = late.signal.aborted ? late.signal.reason : error
    late.abort()
    end()
    throw new Error(reasonOf(cause), { cause })
  }

  const headers = new Headers(init.headers)
  headers.set('Accept-Encoding', 'identity')
  const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal
  const response = await fetch(url, { ...init, headers, signal, decompress: false }).catch(failed)
  clearTimeout(silence)
  const { body, status } = response
  if (Number(response.headers.get('content-length') ?? 0) > mostBytes && body) return failed(tooLong(bounds))
  if (!body) {
    end()
    return response
  }
  const reader = body.getReader()
  let left = mostBytes
  const bounded = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        silence = setTimeout(giveUp, silenceMs)
        const { value } = await reader.read().catch(failed)
        clearTimeout(silence)
        left -= value?.length ?? 0
        if (left < 0) return failed(tooLong(bounds))
        if (value) return controller.enqueue(value)
        end()
        controller.close()
      },
      cancel(reason) {
        end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(bounded, { status, headers: response.headers })
}

const tooLong = ({ name, mostBytes }: Bounds) => new Error(`the answer of ${name} is longer than ${mostBytes} bytes`)
