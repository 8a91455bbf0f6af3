import type { PollTallies } from '../../../../sdk/src/openapi.ts'
import { API } from '../address-of.ts'

/** The service streams so many polls over one connection. */
const MOST_POLLS = 50

interface Follower {
  readonly slug: string
  readonly onTold: (told: PollTallies) => void
}

const followers = new Set<Follower>()
let source: EventSource | null = null
/** The polls of the open connection, and whether one that has them all will soon be opened. */
let streamed: readonly string[] = []
let isDue = false

function open(): void {
  isDue = false
  source?.close()
  streamed = document.hidden ? [] : [...new Set([...followers].map(({ slug }) => slug))].slice(-MOST_POLLS)
  source = streamed.length ? new EventSource(`${API}/tallies/stream?polls=${streamed}`) : null
  source?.addEventListener('tallies', ({ data }) => {
    const told: PollTallies = JSON.parse(data)
    for (const { slug, onTold } of followers) if (slug === told.slug) onTold(told)
  })
}

/**
 * Streams the tallies of a poll while the page is visible, over one connection for all polls of the page: over HTTP/1.1 a browser
 * opens six to a host, and votes need some of them. Beyond the most polls of a stream, those that were followed last are live.
 * Returns a function that ends it.
 */
export function followTallies(slug: string, onTold: (told: PollTallies) => void): () => void {
  const follower = { slug, onTold }
  followers.add(follower)
  if (followers.size === 1) document.addEventListener('visibilitychange', open)
  // Elements that begin together wait for one another.
  if (!isDue && !streamed.includes(slug)) isDue = !!setTimeout(open)
  return () => {
    followers.delete(follower)
    // A connection with more polls than needed is kept, and so are its counts.
    if (followers.size) return
    document.removeEventListener('visibilitychange', open)
    open()
  }
}
