import { PollCard } from './poll-card.ts'
import type { ServedPoll } from './service.ts'
import { TossupElement } from './tossup-element.ts'

/** `<tossup-poll poll="…">`: a poll to vote on. */
export class TossupPoll extends TossupElement {
  readonly named = 'poll'
  #card: PollCard | null = null

  begin(reference: string, given: unknown): void {
    let poll = reference
    let isReady = false
    this.#card = new PollCard(this.inside, reference, {
      isFirst: this.isServed,
      element: this,
      shown: ({ shortId, brand }) => {
        poll = shortId ?? reference
        void this.dress(brand.theme).then(() => {
          if (!isReady) this.tell('ready', { poll })
          isReady = true
        })
      },
      voted: (_, vote) => this.tell('voted', { poll, ...vote }),
      failed: ({ code }) => this.tell('error', { poll, code }),
    })
    void this.#card.start(given as ServedPoll | null)
  }

  end(): void {
    this.#card?.stop()
    this.#card = null
  }

  show(): void {
    this.#card?.show()
  }
}
