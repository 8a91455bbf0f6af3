import type { CallOptions } from './http.ts'

/** A page of a list. */
export interface Page<Item> {
  readonly data: Item[]
  /** Pass it as `cursor` to get the next page; null at the end, except in lists that go on later. */
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

export type ReadPage<Item, More = unknown> = (
  cursor: string | undefined,
  options: CallOptions,
) => Promise<Page<Item> & More>

/**
 * A list of any length, an async iterable that reads page by page. `More` is what a page has beside its items.
 *
 * @example
 * for await (const poll of tossup.listOwnPolls({ tag: 'lunch' })) console.log(poll.title)
 * const { data, nextCursor } = await tossup.listOwnPolls({ limit: 5 }).page()
 */
export class List<Item, More = unknown> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Item, More>
  readonly #from: string | undefined
  readonly #options: CallOptions

  /** Returned by the methods that list. */
  constructor(read: ReadPage<Item, More>, from: string | undefined, options: CallOptions = {}) {
    this.#read = read
    this.#from = from
    this.#options = options
  }

  /** One page: the first, or the one at the cursor. */
  page(): Promise<Page<Item> & More> {
    return this.#read(this.#from, this.#options)
  }

  /** All pages. */
  async *pages(): AsyncGenerator<Page<Item> & More, void, undefined> {
    let cursor = this.#from
    for (;;) {
      const page = await this.#read(cursor, this.#options)
      yield page
      if (page.nextCursor === null || !page.hasMore) return
      cursor = page.nextCursor
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}
