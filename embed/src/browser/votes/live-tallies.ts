import type { PollTallies } from '../../../../sdk/src/openapi.ts'
import { API } from '../address-of.ts'

/** Over HTTP/1.1 a browser opens six connections to a host, and votes need some of them. */
const MOST_STREAMS = 2

const followed = new Set<() => void>()

/** Streams the tallies of a poll while it is visible, for a limited number of polls. Returns a function that ends it. */
export function followTallies(poll: string, onTold: (told: PollTallies) => void): () => void {
  let source: EventSource | null = null

  function look(): void {
    source?.close()
    source = document.hidden ? null : new EventSource(`${API}/polls/${poll}/tallies/stream`)
    source?.addEventListener('tallies', (event) => onTold(JSON.parse(event.data)))
  }

  function end(): void {
    document.removeEventListener('visibilitychange', look)
    source?.close()
    followed.delete(end)
  }

  document.addEventListener('visibilitychange', look)
  look()
  followed.add(end)
  const [first] = followed
  if (followed.size > MOST_STREAMS) first?.()
  return end
}
