import { wordsOf } from '../words.ts'
import { PollCard } from './poll-card.ts'
import { codeOf, type ServedList, type ServedPoll, voter } from './service.ts'
import { TossupElement } from './tossup-element.ts'
import { waiting } from './waiting.ts'

/** `<tossup-feed brand="…">`: the public polls of a brand, newest first, and more of them when asked. */
export class TossupFeed extends TossupElement {
  static override readonly observedAttributes = ['brand', ...TossupElement.observedAttributes]
  #cards: PollCard[] = []
  #run = 0

  protected begin(given: unknown): void {
    const run = ++this.#run
    if (given) void this.#append(given as ServedList, run)
    else {
      this.inside.innerHTML = waiting(this.looks, null)
      void this.#load(null, run)
    }
  }

  protected end(): void {
    this.#run++
    for (const card of this.#cards) card.stop()
    this.#cards = []
  }

  protected show(): void {
    for (const card of this.#cards) card.show()
    const more = this.inside.querySelector('.more')
    if (more) more.textContent = wordsOf(this.language).more
  }

  async #load(cursor: string | null, run: number): Promise<void> {
    try {
      const list = voter.listPublicPolls(this.getAttribute('brand') ?? '', cursor ? { cursor } : {})
      const page = (await list.page()) as ServedList
      if (run !== this.#run) return
      if (!cursor) this.inside.replaceChildren()
      await this.#append(page, run)
    } catch (error) {
      if (run !== this.#run) return
      const code = codeOf(error)
      if (cursor) this.#offerMore(cursor, run)
      if (cursor) this.tell('error', { code })
      else this.fail(code)
    }
  }

  /** The places may be there already: the server sends the first page along. */
  async #append({ data, nextCursor }: ServedList, run: number): Promise<void> {
    const isFirst = this.#cards.length === 0
    this.inside.querySelector('.more')?.remove()
    const [first] = data
    if (first) await this.dress(first.brand.theme)
    if (run !== this.#run) return
    for (const poll of data) this.#add(poll)
    if (nextCursor) this.#offerMore(nextCursor, run)
    if (isFirst) this.tell('ready', { brand: this.getAttribute('brand') })
  }

  #add(poll: ServedPoll): void {
    const place = this.inside.querySelector(`[data-poll="${poll.id}"]`) ?? document.createElement('div')
    place.className = 'card'
    place.setAttribute('data-poll', poll.id)
    if (!place.isConnected) this.inside.append(place)
    const card = new PollCard(place, poll.id, {
      looks: () => this.looks,
      shown: () => undefined,
      voted: ({ id }, vote) => this.tell('voted', { poll: id, ...vote }),
      failed: ({ code }) => this.tell('error', { poll: poll.id, code }),
    })
    this.#cards.push(card)
    void card.start(poll)
  }

  #offerMore(cursor: string, run: number): void {
    const button = document.createElement('button')
    button.className = 'more'
    button.type = 'button'
    button.textContent = wordsOf(this.language).more
    button.addEventListener('click', () => void this.#load(cursor, run), { once: true })
    this.inside.append(button)
  }
}
