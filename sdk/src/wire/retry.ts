const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 8_000

/** Statuses worth a retry. 409 only while the first execution of the same write still runs. */
const PASSING = [408, 429, 500, 502, 503, 504]

export const isPassing = (status: number, code: string): boolean =>
  PASSING.includes(status) || code === 'IDEMPOTENCY_IN_PROGRESS' || code === 'NETWORK_ERROR' || code === 'TIMEOUT'

/** The delay after `failures` failed attempts: doubled each time, with jitter in its second half. */
export function backoff(failures: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
  return (full * (1 + random())) / 2
}

/** `Retry-After` in milliseconds: seconds, or a date. Null where there is none that can be read. */
export function retryAfterOf(headers: Headers, now = Date.now()): number | null {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop)
  })
}
