import { isTossupError } from '../errors.ts'
import type { PollTallies } from '../openapi.ts'
import type { Visitor } from '../visitor.ts'

/** The service streams so many polls over one connection. */
const MOST_POLLS = 50

interface Follower {
  readonly slug: string
  readonly onTold: (told: PollTallies) => void
}

/** The polls that the components of a page show, over one connection: a browser opens six to a host, and votes need some of them. */
class LiveTallies {
  readonly #visitor: Visitor
  readonly #followers = new Set<Follower>()
  #watched: readonly string[] = []
  #leaving: AbortController | null = null
  #isDue = false

  constructor(visitor: Visitor) {
    this.#visitor = visitor
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    if (!this.#isDue && !this.#watched.includes(follower.slug)) {
      this.#isDue = true
      // Components that begin together share the first connection.
      setTimeout(() => this.#watch())
    }
    return () => {
      this.#followers.delete(follower)
      if (this.#followers.size === 0) this.#watch()
    }
  }

  #watch(): void {
    this.#isDue = false
    this.#leaving?.abort()
    this.#watched = [...new Set([...this.#followers].map(({ slug }) => slug))].slice(-MOST_POLLS)
    if (this.#watched.length === 0) return
    this.#leaving = new AbortController()
    void this.#read(this.#watched, this.#leaving.signal)
  }

  async #read(slugs: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      for await (const told of this.#visitor.watchTallies(slugs, { signal })) {
        for (const { slug, onTold } of this.#followers) if (slug === told.slug) onTold(told)
      }
    } catch (error) {
      // The tallies stay as they are: the polls were deleted or cannot be watched.
      if (!isTossupError(error)) throw error
    }
  }
}

const live = new WeakMap<Visitor, LiveTallies>()

/** Calls `onTold` with the tallies of the poll as they change. Returns a function that ends it. */
export function followTallies(visitor: Visitor, follower: Follower): () => void {
  const known = live.get(visitor) ?? new LiveTallies(visitor)
  live.set(visitor, known)
  return known.follow(follower)
}
