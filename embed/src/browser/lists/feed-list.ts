import { readFeed } from '../../../../sdk/src/wire/polls-together.ts'
import { renderNothing } from '../../render/render-nothing.ts'
import { patch } from '../patch.ts'
import type { PollCard } from '../poll-card.ts'
import { appendDiv } from '../result/append-div.ts'
import { codeOf, isMissing, type ServedList, type ServedPoll, voter } from '../service.ts'
import type { TossupElement } from '../tossup-element.ts'
import { waiting } from '../waiting.ts'
import { cardIn, Ways } from './list-parts.ts'
import type { List } from './tossup-lists.ts'

/** Shows the polls of a brand in its element. */
export class FeedList implements List {
  readonly #element: TossupElement
  readonly #ways: Ways
  #cards: PollCard[] = []
  readonly #ids = new Set<string>()

  constructor(element: TossupElement) {
    this.#element = element
    this.#ways = new Ways(element)
  }

  begin(brand: string, given: unknown): void {
    if (given) void this.#append(given as ServedList, brand)
    else {
      patch(this.#element.inside, waiting(this.#element.looks, null))
      void this.#load(brand, null)
    }
  }

  end(): void {
    for (const card of this.#cards) card.stop()
    this.#cards = []
    this.#ids.clear()
  }

  show(): void {
    for (const card of this.#cards) card.show()
    this.#ways.reword()
  }

  async #load(brand: string, cursor: string | null): Promise<void> {
    const element = this.#element
    const { run } = element
    try {
      const page = (await readFeed(voter, brand, cursor ?? undefined)) as ServedList
      if (run !== element.run) return
      if (!cursor) element.inside.replaceChildren()
      await this.#append(page, brand)
    } catch (error) {
      if (run !== element.run) return
      if (cursor) {
        this.#offerMore(brand, cursor)
        element.tell('error', { code: codeOf(error) })
      } else element.fail(isMissing(error) ? 'missing' : 'unreachable', codeOf(error))
    }
  }

  /** The server may have rendered the first page: adopt its places. */
  async #append({ data, nextCursor }: ServedList, brand: string): Promise<void> {
    const element = this.#element
    const { run } = element
    const isFirst = this.#cards.length === 0
    this.#ways.withdraw('more')
    const [first] = data
    if (first) await element.dress(first.brand.theme)
    if (run !== element.run) return
    // The featured poll of a brand's page comes again among the others of its time.
    for (const poll of data) if (!this.#ids.has(poll.id)) this.#add(poll)
    if (this.#cards.length === 0) patch(element.inside, renderNothing(element.language))
    if (nextCursor) this.#offerMore(brand, nextCursor)
    if (isFirst) element.tell('ready', { brand })
  }

  /** The button is pressed once: each page of the list brings its own. */
  #offerMore(brand: string, cursor: string): void {
    this.#ways.offer('more', () => {
      this.#ways.withdraw('more')
      void this.#load(brand, cursor)
    })
  }

  #add(poll: ServedPoll): void {
    this.#ids.add(poll.id)
    const { inside, isServed } = this.#element
    const place = inside.querySelector(`[data-poll="${poll.id}"]`) ?? appendDiv(inside, 'card')
    place.setAttribute('data-poll', poll.id)
    this.#cards.push(cardIn(this.#element, poll, { place, isFirst: isServed && this.#cards.length === 0 }))
  }
}
