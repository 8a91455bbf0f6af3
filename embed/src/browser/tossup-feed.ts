import { renderNothing } from '../render-nothing.ts'
import type { PollCard } from './poll-card.ts'
import { codeOf, isMissing, type ServedList, type ServedPoll, voter } from './service.ts'
import { TossupElement } from './tossup-element.ts'
import { waiting } from './waiting.ts'

/** `<tossup-feed brand="…">`: the public polls of a brand, newest first, with a button for more. */
export class TossupFeed extends TossupElement {
  static override readonly observedAttributes = ['brand', ...TossupElement.observedAttributes]
  protected readonly named = 'brand'
  #cards: PollCard[] = []

  protected begin(brand: string, given: unknown): void {
    if (given) void this.#append(given as ServedList, brand)
    else {
      this.inside.innerHTML = waiting(this.looks, null)
      void this.#load(brand, null)
    }
  }

  protected end(): void {
    for (const card of this.#cards) card.stop()
    this.#cards = []
  }

  protected show(): void {
    for (const card of this.#cards) card.show()
    this.reword('more')
  }

  async #load(brand: string, cursor: string | null): Promise<void> {
    const { run } = this
    try {
      const page = (await voter.readFeed(brand, cursor ?? undefined)) as ServedList
      if (run !== this.run) return
      if (!cursor) this.inside.replaceChildren()
      await this.#append(page, brand)
    } catch (error) {
      if (run !== this.run) return
      if (cursor) {
        this.offer('more', () => void this.#load(brand, cursor))
        this.tell('error', { code: codeOf(error) })
      } else this.fail(isMissing(error) ? 'missing' : 'unreachable', codeOf(error))
    }
  }

  /** The server may have rendered the first page: adopt its places. */
  async #append({ data, nextCursor }: ServedList, brand: string): Promise<void> {
    const { run } = this
    const isFirst = this.#cards.length === 0
    this.withdraw()
    const [first] = data
    if (first) await this.dress(first.brand.theme)
    if (run !== this.run) return
    for (const poll of data) this.#add(poll)
    if (this.#cards.length === 0) this.inside.innerHTML = renderNothing(this.language)
    if (nextCursor) this.offer('more', () => void this.#load(brand, nextCursor))
    if (isFirst) this.tell('ready', { brand })
  }

  #add(poll: ServedPoll): void {
    const place = this.inside.querySelector(`[data-poll="${poll.id}"]`) ?? document.createElement('div')
    place.className = 'card'
    place.setAttribute('data-poll', poll.id)
    if (!place.isConnected) this.inside.append(place)
    this.#cards.push(this.cardOf(place, poll, { isFirst: this.isServed && this.#cards.length === 0 }))
  }
}
