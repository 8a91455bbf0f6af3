import { Cache } from '../../base/cache.ts'
import type { Asset } from './assets/asset.ts'
import { PackedPage, type PackedStart, packStart } from './packing.ts'
import type { Page } from './page.ts'

const MOST_BYTES = 64 * 1024 * 1024
/** A page that stayed the same for so long, and was asked for so often, repays the best compression. */
const SETTLED_MS = 10_000
const SETTLED_ASKS = 8

export interface KeptPage {
  readonly asset: Asset
  readonly policy: string
}

interface Kept extends KeptPage {
  /** The source of the page, or its hash: the same source renders the same page. */
  readonly source: string
  readonly start: PackedStart
  readonly packed: PackedPage
  readonly bytes: number
  readonly madeAt: number
  asks: number
}

interface Options {
  readonly mostBytes?: number
  readonly now?: () => number
}

/**
 * Rendered pages, valid for as long as their source is the same. Of a page that a vote
 * changed, only the part after its styles is compressed again.
 */
export class KeptPages {
  readonly #kept: Cache<string, Kept>
  readonly #now: () => number
  readonly lookups = { hit: 0, miss: 0 }

  constructor({ mostBytes = MOST_BYTES, now = () => performance.now() }: Options = {}) {
    this.#kept = new Cache(mostBytes, ({ bytes }) => bytes)
    this.#now = now
  }

  peek(key: string, source: string): KeptPage | null {
    const kept = this.#kept.get(key)
    if (kept?.source !== source) return null
    this.lookups.hit++
    if (++kept.asks >= SETTLED_ASKS && this.#now() - kept.madeAt >= SETTLED_MS) {
      // Without it the page is sent as gzip.
      kept.packed.settle().catch(() => undefined)
    }
    return kept
  }

  find(key: string, source: string, make: () => Page & { readonly policy: string }): KeptPage {
    const known = this.peek(key, source)
    if (known) return known
    this.lookups.miss++
    const { start: text, rest, policy } = make()
    const before = this.#kept.get(key)
    const start = before?.start.text === text ? before.start : packStart(text)
    const packed = new PackedPage(start, rest)
    // Each of three compressed forms takes about as much as that of the start.
    const bytes = key.length + 2 * (start.text.length + rest.length) + 3 * start.bytes.length + rest.length
    const asset = packed.asset()
    this.#kept.set(key, { source, start, packed, asset, policy, bytes, madeAt: this.#now(), asks: 1 })
    return { asset, policy }
  }
}
