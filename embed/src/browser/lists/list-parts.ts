import { wordsOf } from '../../words.ts'
import { type Around, PollCard } from '../poll-card.ts'
import type { ServedPoll } from '../service.ts'
import type { TossupElement } from '../tossup-element.ts'

interface Placed extends Partial<Around> {
  readonly place: Element
}

/** A card of a list, in its own place. */
export function cardIn(element: TossupElement, poll: ServedPoll, { place, ...around }: Placed): PollCard {
  const { id } = poll
  const card = new PollCard(place, id, {
    isFirst: false,
    element,
    shown: () => undefined,
    voted: (_, vote) => element.tell('voted', { poll: id, ...vote }),
    failed: ({ code }) => element.tell('error', { poll: id, code }),
    ...around,
  })
  void card.start(poll)
  return card
}

/** The button at the end: next step, or more polls. */
export class WayOn {
  readonly #element: TossupElement
  readonly #word: 'next' | 'more'

  constructor(element: TossupElement, word: 'next' | 'more') {
    this.#element = element
    this.#word = word
  }

  offer(onPress: () => void): void {
    if (this.#button) return
    const button = document.createElement('button')
    button.className = 'go-on'
    button.type = 'button'
    button.addEventListener('click', onPress, { once: true })
    this.#element.inside.append(button)
    this.reword()
  }

  withdraw(): void {
    this.#button?.remove()
  }

  /** Updates the button's text after the language has changed. */
  reword(): void {
    if (this.#button) this.#button.textContent = wordsOf(this.#element.language)[this.#word]
  }

  get #button(): Element | null {
    return this.#element.inside.querySelector('.go-on')
  }
}
