import { wordsOf } from '../../words.ts'
import { type Around, PollCard } from '../poll-card.ts'
import { appendDiv } from '../result/append-div.ts'
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

type Way = 'back' | 'next' | 'more'

/** The buttons at the end: an earlier step, the next step, or more polls. */
export class Ways {
  readonly #element: TossupElement

  constructor(element: TossupElement) {
    this.#element = element
  }

  offer(way: Way, onPress: () => void): void {
    if (this.#button(way)) return
    const { inside } = this.#element
    const row = inside.querySelector('.ways') ?? appendDiv(inside, 'ways')
    const button = document.createElement('button')
    button.className = way === 'back' ? 'go-back' : 'go-on'
    button.type = 'button'
    button.dataset['way'] = way
    button.addEventListener('click', onPress)
    if (way === 'back') row.prepend(button)
    else row.append(button)
    this.reword()
  }

  withdraw(way: Way): void {
    const button = this.#button(way)
    const row = button?.parentElement
    button?.remove()
    if (row?.childElementCount === 0) row.remove()
  }

  /** Shows on the button that it will be followed without a press. */
  time(way: Way, isTimed: boolean): void {
    this.#button(way)?.classList.toggle('is-timed', isTimed)
  }

  /** Updates the texts of the buttons after the language has changed. */
  reword(): void {
    const words = wordsOf(this.#element.language)
    for (const way of ['back', 'next', 'more'] as const) {
      const button = this.#button(way)
      if (button) button.textContent = words[way]
    }
  }

  #button = (way: Way): Element | null => this.#element.inside.querySelector(`[data-way="${way}"]`)
}
