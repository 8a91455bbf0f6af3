import { html } from '../../../../../embed/src/render/html.ts'
import { langOf } from '../../../../../embed/src/words.ts'
import { deterministicBox } from '../../../base/secrets.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { Cursors, DEFAULT_LIMIT, listName } from '../../../http/paging.ts'
import { WORDS } from '../../../words/words.ts'
import type { Deps } from '../../deps.ts'
import { feedQuery, publicFeed, searchedFeed } from '../../polls/lists.ts'
import { presentListItem } from '../../polls/present-poll.ts'
import type { PublicPolls } from '../../polls/public-routes.ts'
import { searchedTag, searchedWords } from '../../polls/search-text.ts'
import { FEED_PATH } from '../../polls/snapshots/feed-snapshots.ts'
import { earliest, statusChangesAt } from '../../polls/status.ts'
import { publicUrl } from '../../uploads/files.ts'
import { feedSubject } from '../find-subjects.ts'
import type { Asking, Subject } from '../page.ts'
import { finder, wayOn } from './around-page.ts'
import type { Shelf } from './brand-shelf.ts'

const DEFAULTS = feedQuery.parse({})
const MOST_WORDS = 10
/** Fewer polls need no leader. */
const LEAST_LED = 3

interface Listed {
  readonly polls: readonly PollListItem[]
  /** Continues this list on a page; null at its end. */
  readonly next: string | null
  /** Whether the element may load the next page itself, from the public feed. */
  readonly isFeed: boolean
  readonly isLed: boolean
  readonly changesAt: number | null
}

export interface BrandPage {
  /** Equal for equal pages; null for those that are not kept. */
  readonly source: string | null
  readonly changesAt: number | null
  subject(): Subject
}

/** The page of a brand: its featured poll and the newest first, or those that a search or a topic finds. */
export class BrandPages {
  readonly #deps: Deps
  readonly #polls: PublicPolls
  readonly #cursors: Cursors

  constructor(deps: Deps, polls: PublicPolls) {
    this.#deps = deps
    this.#polls = polls
    this.#cursors = new Cursors(deterministicBox(deps.keys.cursor))
  }

  async find(shelf: Shelf, asking: Asking, now: number): Promise<BrandPage> {
    const { q, tag, cursor } = asking
    const isFirst = q === '' && tag === '' && cursor === null
    const listed = isFirst ? await this.#newest(shelf, now) : await this.#found(shelf, asking, now)
    return {
      source: isFirst ? etagOf(JSON.stringify([shelf.tag, shelf.tags, listed])) : null,
      changesAt: earliest([shelf.changesAt, listed.changesAt]),
      subject: () => this.#subject(shelf, listed, asking),
    }
  }

  /** From memory, with live counts. */
  async #newest({ brand, featured }: Shelf, now: number): Promise<Listed> {
    const ready = await this.#polls.feeds.find(brand.slug, now)
    const { data = [], nextCursor = null } = ready
      ? (JSON.parse(ready.body) as { data: PollListItem[]; nextCursor: string | null })
      : {}
    const leading = featured === null ? null : (await this.#polls.snapshots.find(featured))?.item(now)
    const isLed = Boolean(leading) && data.length >= LEAST_LED
    const leader = isLed && leading ? (JSON.parse(leading.json) as PollListItem) : null
    const polls = leader ? [leader, ...data.filter(({ id }) => id !== leader.id)] : data
    const changesAt = earliest([ready?.changesAt ?? null, leading?.changesAt ?? null])
    return { polls, next: nextCursor, isFeed: true, isLed, changesAt }
  }

  async #found({ brand, brandKey }: Shelf, { q, tag, cursor }: Asking, now: number): Promise<Listed> {
    const { db } = this.#deps.engine
    const isFeed = q === '' && tag === ''
    const filter = { words: searchedWords(q).slice(0, MOST_WORDS), tag: tag === '' ? null : searchedTag(tag) }
    const list = listName({
      list: isFeed ? FEED_PATH : '/b/{brandSlug}',
      params: { brandSlug: brand.slug },
      filters: isFeed ? DEFAULTS : filter,
    })
    const given = cursor === null ? null : this.#cursors.decode(cursor)
    // A cursor of another list begins this one.
    const after = given?.belongsTo(list) ? given.position : null
    const asked = { brandKey, paging: { limit: DEFAULT_LIMIT, after }, now }
    const { rows, next } = isFeed ? await publicFeed(db, asked, DEFAULTS) : await searchedFeed(db, asked, filter)
    return {
      polls: rows.map((row) => presentListItem(row, { deps: this.#deps, viewer: 'public', now })),
      next: next && this.#cursors.encode(list, next),
      isFeed,
      isLed: false,
      changesAt: earliest(rows.map((row) => statusChangesAt(row, now))),
    }
  }

  #subject({ brand, tags }: Shelf, { polls, next, isFeed, isLed }: Listed, asking: Asking): Subject {
    const { looks, q, tag, given } = asking
    const lang = langOf(looks.lang)
    const words = WORDS[lang].pages
    const nextCursor = isFeed ? next : null
    const body = JSON.stringify({ data: polls, nextCursor, hasMore: nextCursor !== null })
    const address = `${this.#deps.config.publicUrl}/b/${brand.slug}`
    const files = publicUrl(this.#deps, '')
    const subject = feedSubject(brand, { body, data: polls }, { looks, address, files, isLed })
    const asked = { q, tag, given, cursor: next }
    const isSearched = q !== '' || tag !== ''
    const isEmpty = polls.length === 0
    const label = isLed && html`<h2 class="featured">${words.featured}</h2>`
    const none = isEmpty && isSearched && html`<p class="none" role="status">${words.nothing}</p>`
    // With scripts, the element itself offers more of the feed.
    const way = wayOn(asked, lang)
    return {
      ...subject,
      ...(isEmpty && isSearched ? { inside: '' } : {}),
      // Search engines know the brand by its own page.
      isListed: !isSearched && asking.cursor === null,
      around: {
        above: html`${(!isEmpty || isSearched) && finder(asked, tags, lang)}${label}${none}`,
        below: isFeed && way ? html`<noscript>${way}</noscript>` : way,
        hasForm: true,
      },
    }
  }
}
