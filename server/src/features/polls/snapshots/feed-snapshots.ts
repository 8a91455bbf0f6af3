import { Cache } from '../../../base/cache.ts'
import { deterministicBox } from '../../../base/secrets.ts'
import { SingleFlight } from '../../../base/work/single-flight.ts'
import type { Ready } from '../../../http/answers/answer.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { PackedText } from '../../../http/answers/content-coding.ts'
import { nextLink } from '../../../http/answers/reply.ts'
import { Cursors, DEFAULT_LIMIT, listName } from '../../../http/paging.ts'
import { API_PREFIX } from '../../../http/route.ts'
import { findBrand } from '../../brands/brands.ts'
import type { Deps } from '../../deps.ts'
import { feedQuery, nextOpening, publicFeed } from '../lists.ts'
import { earliest, holdsAt } from '../status.ts'
import type { PollSnapshots } from './poll-snapshots.ts'
import type { ReadyItem } from './snapshot.ts'

const MOST_KEPT = 2_000
const DEFAULTS = feedQuery.parse({})
export const FEED_PATH = '/brands/{brandSlug}/polls'

interface Order {
  readonly brandKey: number
  /** The number of changes before this order was read: valid until a poll of the brand changes. */
  readonly changes: number
  readonly pollKeys: readonly number[]
  readonly path: string
  readonly nextCursor: string | null
  readonly madeAt: number
  /** When the next poll opens and joins the feed. */
  readonly changesAt: number | null
}

interface Feed extends Order {
  items: readonly ReadyItem[]
  counts: number
  ready: Ready & { readonly madeAt: number }
}

/**
 * Ready first pages of feeds with default parameters. The order is kept until a poll of the brand changes or
 * opens. A vote changes one item, and the next reader joins the page again from the polls in memory.
 */
export class FeedSnapshots {
  readonly #deps: Deps
  readonly #polls: PollSnapshots
  readonly #cursors: Cursors
  readonly #feeds = new Cache<string, Feed>(MOST_KEPT)
  readonly lookups = { hit: 0, miss: 0 }
  readonly #loading = new SingleFlight<string, Feed | null>()

  constructor(deps: Deps, polls: PollSnapshots) {
    this.#deps = deps
    this.#polls = polls
    this.#cursors = new Cursors(deterministicBox(deps.keys.cursor))
  }

  /** Null if a database read would be needed. */
  peek(brandSlug: string, now: number): Ready | null {
    const feed = this.#feeds.get(brandSlug)
    if (!feed || this.#hasChanged(feed) || !holdsAt(feed, now)) return null
    if (!this.#brought(feed, now)) return null
    this.lookups.hit++
    return feed.ready
  }

  /** Null when there is no such brand. */
  async find(brandSlug: string, now: number): Promise<Ready | null> {
    const kept = this.peek(brandSlug, now)
    if (kept) return kept
    const { changes } = this.#polls
    const feed = await this.#loading.run(`${changes} ${brandSlug}`, () => this.#load(brandSlug, changes, now))
    if (!feed || holdsAt(feed.ready, now)) return feed?.ready ?? null
    // The shared load began before a poll opened or closed.
    return this.find(brandSlug, now)
  }

  #hasChanged({ brandKey, changes }: Order): boolean {
    return this.#polls.changedAt(brandKey) > changes
  }

  async #load(brandSlug: string, changes: number, now: number): Promise<Feed | null> {
    this.lookups.miss++
    const { db } = this.#deps.engine
    const brand = await findBrand(db, brandSlug)
    if (!brand) return null
    const request = { brandKey: brand.key, paging: { limit: DEFAULT_LIMIT, after: null }, now }
    const { rows, next } = await publicFeed(db, request, DEFAULTS)
    const pollKeys = rows.map(({ key }) => key)
    const path = `${API_PREFIX}/brands/${brandSlug}/polls`
    const list = listName({ list: FEED_PATH, params: { brandSlug }, filters: DEFAULTS })
    const nextCursor = next && this.#cursors.encode(list, next)
    const changesAt = await nextOpening(db, brand.key, now)
    const { counts } = this.#polls
    const polls = await this.#polls.findAll(pollKeys)
    // A poll that was deleted or made private after the order was read, or whose snapshot is still private, is
    // left out. Such a page is sent once and not kept.
    const items = polls.flatMap((poll) => poll?.item(now) ?? [])
    const order: Order = { brandKey: brand.key, changes, pollKeys, path, nextCursor, madeAt: now, changesAt }
    const feed: Feed = { ...order, items, counts, ready: readyPage(order, items, now) }
    if (items.length === pollKeys.length && !this.#hasChanged(feed)) this.#feeds.set(brandSlug, feed)
    return feed
  }

  /** False when a poll of the page is no longer in memory or listed. */
  #brought(feed: Feed, now: number): boolean {
    const { counts } = this.#polls
    if (feed.counts === counts && holdsAt(feed.ready, now)) return true
    const items: ReadyItem[] = []
    for (const key of feed.pollKeys) {
      const item = this.#polls.peek(key)?.item(now)
      if (!item) return false
      items.push(item)
    }
    feed.counts = counts
    if (items.every((item, i) => item === feed.items[i]) && holdsAt(feed.ready, now)) return true
    feed.items = items
    feed.ready = readyPage(feed, items, now)
    return true
  }
}

function readyPage(order: Order, items: readonly ReadyItem[], madeAt: number): Feed['ready'] {
  const { path, nextCursor, changesAt } = order
  const data = items.map(({ json }) => json).join(',')
  const body = `{"data":[${data}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${nextCursor !== null}}`
  return {
    body,
    etag: etagOf(body),
    packed: new PackedText(body),
    madeAt,
    changesAt: earliest([changesAt, ...items.map((item) => item.changesAt)]),
    ...(nextCursor ? { link: nextLink(new URL(path, 'http://tossup'), nextCursor) } : {}),
  }
}
