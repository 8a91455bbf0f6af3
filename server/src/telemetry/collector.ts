import { reasonOf } from '../base/errors.ts'
import type { Signal } from './telemetry-counts.ts'

const TIMEOUT_MS = 10_000
const LONGEST_RETRY_AFTER_S = 60
const MOST_ANSWER_BYTES = 65_536
/** The statuses after which OTLP allows the same request again. */
const AGAIN = new Set([429, 502, 503, 504])

/** `reason` names neither the address nor a header: both can hold a secret. */
export type Sent =
  | { readonly kind: 'taken'; readonly rejected: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs: number | null }

interface CollectorPlace {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
}

/** One request to the collector of OTEL_EXPORTER_OTLP_ENDPOINT. Never rejects. */
export async function sendTo(
  { endpoint, headers }: CollectorPlace,
  { signal, body, ended }: { signal: Signal; body: string; ended: AbortSignal },
): Promise<Sent> {
  try {
    const answer = await fetch(`${endpoint}/v1/${signal}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
      // The headers belong to the collector alone.
      redirect: 'manual',
      signal: AbortSignal.any([ended, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = await beginningOf(answer)
    if (answer.ok) return { kind: 'taken', rejected: rejectedIn(text) }
    const reason = `the collector answered ${answer.status}`
    if (!AGAIN.has(answer.status)) return { kind: 'refused', reason }
    return { kind: 'later', reason, afterMs: retryAfterMs(answer.headers.get('retry-after')) }
  } catch (error) {
    return { kind: 'later', reason: reasonOf(error), afterMs: null }
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MOST_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A collector may take a part of a request. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: Record<string, unknown> }
    const rejected = Number(partialSuccess?.['rejectedSpans'] ?? partialSuccess?.['rejectedDataPoints'] ?? 0)
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
  } catch {
    return 0
  }
}

/** Seconds or a date. */
function retryAfterMs(text: string | null): number | null {
  if (text === null) return null
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_S) * 1_000
}
