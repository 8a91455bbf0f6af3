import type { Choice } from '../../poll-view.ts'
import { html } from '../../render/html.ts'
import { SLOTS } from '../../render/render-choice.ts'
import { langOf, wordsOf } from '../../words.ts'
import { patch } from '../patch.ts'
import type { PollState } from '../votes/poll-model.ts'

/** The card of the poll. */
interface Card {
  vote(option: Choice): void
}

interface Chosen {
  readonly poll: string
  readonly option: Choice
  /** When, on the clock of the page's events. */
  readonly at: number
}

/** The second press of a double tap, and a key that is held down, choose and do not vote. */
const LATER_MS = 500

const chosen = new WeakMap<Element, Chosen>()

/** Shows what is chosen and the button that casts it; `pressed` is an option that was just pressed. */
export function ask(card: Card, place: Element, { poll, vote }: PollState, pressed?: Choice): void {
  const isAsked = poll?.status === 'open' && vote === null
  if (!isAsked || chosen.get(place)?.poll !== poll.id) chosen.delete(place)
  const before = chosen.get(place)
  const host = (place.getRootNode() as ShadowRoot).host
  const option = pressed ?? before?.option ?? (isAsked && host.localName === 'tossup-poll' && preparedIn(host))
  const row = place.querySelector<HTMLElement>('.ask')
  if (!isAsked || !option) {
    row?.remove()
    return
  }
  if (option !== before?.option) chosen.set(place, { poll: poll.id, option, at: performance.now() })
  mark(place, option)
  const shown = row ?? appendRow(card, place, host)
  const { voteFor, back } = wordsOf(langOf(place.querySelector('.tossup')?.getAttribute('lang')))
  const label = poll[SLOTS[option]].label
  const words = voteFor.split('#').map((part, i) => html`${i > 0 && html`<bdi>${label}</bdi>`}${part}`)
  const ways = html`<button class="cast" type="button"><span>${words}</span></button><button class="unask" type="button">${back}</button>`
  patch(shown, ways.toString())
  shown.setAttribute('aria-label', poll.title)
  // A new count draws the poll again: the focus stays where the visitor put it.
  if (option !== before?.option) shown.querySelector('button')?.focus({ preventScroll: !pressed })
}

const isLate = (present: Chosen | undefined): present is Chosen =>
  present !== undefined && performance.now() - present.at > LATER_MS

/** The link of a mail names an answer. */
const preparedIn = (host: Element): Choice | undefined =>
  /^[AB]$/.exec(host.getAttribute('confirm') ?? '')?.[0] as Choice

function mark(place: Element, option?: Choice): void {
  for (const button of place.querySelectorAll('[data-option]')) {
    if (option) button.setAttribute('aria-pressed', String(button.getAttribute('data-option') === option))
    else button.removeAttribute('aria-pressed')
  }
}

/** Stays when the poll is drawn again, because it is a `nav` at the end of its parent: see `patch`. */
function appendRow(card: Card, place: Element, host: Element): HTMLElement {
  const row = document.createElement('nav')
  row.className = 'ask'
  row.role = 'group'
  row.addEventListener('click', ({ target, isTrusted }) => {
    const button = (target as Element).closest('button')
    const present = chosen.get(place)
    if (!button || !present) return
    if (button.className === 'cast') {
      // No script votes.
      if (isTrusted && isLate(present)) card.vote(present.option)
      return
    }
    chosen.delete(place)
    mark(place)
    row.remove()
    place.querySelector<HTMLElement>(`[data-option="${present.option}"]`)?.focus()
    if (preparedIn(host)) host.setAttribute('confirm', '')
  })
  place.addEventListener('click', ({ target, isTrusted }) => {
    const present = row.isConnected && isTrusted ? chosen.get(place) : undefined
    const option = (target as Element).closest('[data-option]')?.getAttribute('data-option')
    if (present?.option === option && isLate(present)) card.vote(present.option)
  })
  place.querySelector('.foot')?.append(row)
  return row
}
