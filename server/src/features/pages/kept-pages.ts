import { Cache } from '../../base/cache.ts'
import { type Asset, assetOf } from '../../http/answers/reply.ts'
import type { Page } from './page.ts'

const MOST_BYTES = 64 * 1024 * 1024
/** A text and its compressed forms, in bytes of each character of the text. */
const BYTES_OF_A_CHARACTER = 3

export interface KeptPage {
  readonly asset: Asset
  readonly policy: string
}

interface Kept extends KeptPage {
  /** The source of the page, or its hash: the same source renders the same page. */
  readonly source: string
}

/** Rendered pages, each valid for as long as its source is the same. */
export class KeptPages {
  readonly #kept: Cache<string, Kept>
  readonly lookups = { hit: 0, miss: 0 }

  constructor(mostBytes = MOST_BYTES) {
    this.#kept = new Cache(mostBytes, ({ asset }) => BYTES_OF_A_CHARACTER * asset.text.length)
  }

  peek(key: string, source: string): KeptPage | null {
    const kept = this.#kept.get(key)
    if (kept?.source !== source) return null
    this.lookups.hit++
    return kept
  }

  find(key: string, source: string, make: () => Page & { readonly policy: string }): KeptPage {
    const known = this.peek(key, source)
    if (known) return known
    this.lookups.miss++
    const { text, policy } = make()
    const kept = { source, asset: assetOf(text, 'fast'), policy }
    this.#kept.set(key, kept)
    return kept
  }
}
