import type { VoteOrigin } from '../../../../sdk/src/voter.ts'
import { API } from '../address-of.ts'
import { isPreview } from '../is-preview.ts'

/** Half of a poll, for half a second. */
const PART = 0.5
const LENGTH_MS = 500

/** The polls whose views this page has sent. */
const sent = new Set<string>()

/** Counts one view of a poll a page: without a device, without cookies, and without an answer that anything waits for. */
export function seen(place: Element, poll: string | undefined, origin: VoteOrigin, end: AbortSignal): void {
  const article = place.querySelector('.tossup')
  if (!poll || !article || end.aborted || isPreview()) return
  let isInView = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const look = (): void => {
    clearTimeout(timer)
    if (sent.has(poll)) stop()
    else if (isInView && !document.hidden) timer = setTimeout(count, LENGTH_MS)
  }
  const count = (): void => {
    stop()
    if (!sent.has(poll)) send(poll, origin)
    sent.add(poll)
  }
  const stop = (): void => {
    clearTimeout(timer)
    watcher.disconnect()
    document.removeEventListener('visibilitychange', look)
  }
  const watcher = new IntersectionObserver(
    (entries) => {
      isInView = (entries.at(-1)?.intersectionRatio ?? 0) >= PART
      look()
    },
    { threshold: PART },
  )

  watcher.observe(article)
  document.addEventListener('visibilitychange', look)
  end.addEventListener('abort', stop)
}

function send(poll: string, origin: VoteOrigin): void {
  const address = new URL(`${API}/polls/${poll}/views`)
  for (const name of ['source', 'campaign'] as const) {
    const value = origin[name]
    if (value) address.searchParams.set(name, value)
  }
  const init = { __proto__: null, method: 'POST', credentials: 'omit', keepalive: true } as RequestInit
  fetch(address, init).catch(() => undefined)
}
