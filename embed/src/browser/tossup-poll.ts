import { PollCard } from './poll-card.ts'
import type { ServedPoll } from './service.ts'
import { TossupElement } from './tossup-element.ts'

/** `<tossup-poll poll="…">`: a poll that can be voted on, wherever it stands. */
export class TossupPoll extends TossupElement {
  static override readonly observedAttributes = ['poll', ...TossupElement.observedAttributes]
  protected readonly named = 'poll'
  #card: PollCard | null = null

  protected begin(reference: string, given: unknown): void {
    let isReady = false
    this.#card = new PollCard(this.inside, reference, {
      isFirst: this.isServed,
      looks: () => this.looks,
      shown: ({ shortId, brand }) =>
        void this.dress(brand.theme).then(() => {
          if (!isReady) this.tell('ready', { poll: shortId })
          isReady = true
        }),
      voted: ({ shortId }, vote) => this.tell('voted', { poll: shortId, ...vote }),
      failed: ({ code }) => this.tell('error', { poll: reference, code }),
    })
    void this.#card.start(given as ServedPoll | null)
  }

  protected end(): void {
    this.#card?.stop()
    this.#card = null
  }

  protected show(): void {
    this.#card?.show()
  }
}
