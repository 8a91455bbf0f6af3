import { Cache } from '../../base/cache.ts'
import type { Asset } from './asset.ts'
import { type PackedStart, packStart, packWith } from './packing.ts'
import type { Page } from './page.ts'

const MOST_BYTES = 64 * 1024 * 1024

export interface KeptPage {
  readonly asset: Asset
  readonly policy: string
}

interface Kept extends KeptPage {
  /** The source of the page, or its hash: the same source renders the same page. */
  readonly source: string
  readonly start: PackedStart
  readonly bytes: number
}

/**
 * Rendered pages, valid for as long as their source is the same. Of a page that a vote
 * changed, only the part after its styles is compressed again.
 */
export class KeptPages {
  readonly #kept: Cache<string, Kept>

  constructor(mostBytes = MOST_BYTES) {
    this.#kept = new Cache(mostBytes, ({ bytes }) => bytes)
  }

  peek(key: string, source: string): KeptPage | null {
    const kept = this.#kept.get(key)
    return kept?.source === source ? kept : null
  }

  find(key: string, source: string, make: () => Page & { readonly policy: string }): KeptPage {
    const known = this.peek(key, source)
    if (known) return known
    const { start: text, rest, policy } = make()
    const before = this.#kept.get(key)
    const start = before?.start.text === text ? before.start : packStart(text)
    const asset = packWith(start, rest)
    const bytes = key.length + 2 * (start.text.length + rest.length) + start.bytes.length + asset.packed.size
    this.#kept.set(key, { source, start, asset, policy, bytes })
    return { asset, policy }
  }
}
