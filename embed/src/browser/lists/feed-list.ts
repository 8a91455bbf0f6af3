import { renderNothing } from '../../render/render-nothing.ts'
import { patch } from '../patch.ts'
import type { PollCard } from '../poll-card.ts'
import { appendDiv } from '../result/append-div.ts'
import { codeOf, isMissing, type ServedList, type ServedPoll, voter } from '../service.ts'
import type { TossupElement } from '../tossup-element.ts'
import { waiting } from '../waiting.ts'
import { cardIn, WayOn } from './list-parts.ts'
import type { List } from './tossup-lists.ts'

/** Shows the polls of a brand in its element. */
export class FeedList implements List {
  readonly #element: TossupElement
  readonly #more: WayOn
  #cards: PollCard[] = []

  constructor(element: TossupElement) {
    this.#element = element
    this.#more = new WayOn(element, 'more')
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
  }

  show(): void {
    for (const card of this.#cards) card.show()
    this.#more.reword()
  }

  async #load(brand: string, cursor: string | null): Promise<void> {
    const element = this.#element
    const { run } = element
    try {
      const page = (await voter.readFeed(brand, cursor ?? undefined)) as ServedList
      if (run !== element.run) return
      if (!cursor) element.inside.replaceChildren()
      await this.#append(page, brand)
    } catch (error) {
      if (run !== element.run) return
      if (cursor) {
        this.#more.offer(() => void this.#load(brand, cursor))
        element.tell('error', { code: codeOf(error) })
      } else element.fail(isMissing(error) ? 'missing' : 'unreachable', codeOf(error))
    }
  }

  /** The server may have rendered the first page: adopt its places. */
  async #append({ data, nextCursor }: ServedList, brand: string): Promise<void> {
    const element = this.#element
    const { run } = element
    const isFirst = this.#cards.length === 0
    this.#more.withdraw()
    const [first] = data
    if (first) await element.dress(first.brand.theme)
    if (run !== element.run) return
    for (const poll of data) this.#add(poll)
    if (this.#cards.length === 0) patch(element.inside, renderNothing(element.language))
    if (nextCursor) this.#more.offer(() => void this.#load(brand, nextCursor))
    if (isFirst) element.tell('ready', { brand })
  }

  #add(poll: ServedPoll): void {
    const { inside, isServed } = this.#element
    const place = inside.querySelector(`[data-poll="${poll.id}"]`) ?? appendDiv(inside, 'card')
    place.setAttribute('data-poll', poll.id)
    this.#cards.push(cardIn(this.#element, poll, { place, isFirst: isServed && this.#cards.length === 0 }))
  }
}
