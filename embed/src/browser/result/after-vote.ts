import { type Html, html } from '../../render/html.ts'
import { isSet } from '../../theme/looks.ts'
import { langOf, wordsOf } from '../../words.ts'
import { addressOf } from '../address-of.ts'
import { patch } from '../patch.ts'
import { type ServedPoll, voter } from '../service.ts'
import type { PollState } from '../votes/poll-model.ts'
import { hasVotedOn } from '../votes/voted-polls.ts'
import { shareWords } from './share-words.ts'

/** The result is drawn, and the vote on its way, before anything else is asked for. */
const CALM_MS = 500
/** How long it is told that the answer was copied. */
const TOLD_MS = 4_000

const rows = new WeakMap<Element, string>()

/** Leads on from a poll with a vote: shares the answer, and shows the next poll of the brand. The foot of the poll has room for it. */
export function lead(place: Element, { poll, vote, isKept }: PollState): void {
  const foot = place.querySelector('.foot')
  const element = (place.getRootNode() as ShadowRoot).host
  if (!poll || !vote || isKept || !foot || element.localName !== 'tossup-poll') return
  const lang = langOf(element.closest('[lang]')?.getAttribute('lang'))
  const isOff = isSet(element.getAttribute('hideafter'))
  const key = [poll.id, vote, lang, isOff].join(' ')
  if (rows.get(foot) === key) return
  rows.set(foot, key)
  foot.querySelector('nav')?.remove()
  if (isOff) return
  setTimeout(async () => {
    const next = await findNext(poll)
    if (rows.get(foot) !== key || !foot.isConnected) return
    // All of it at once: a second button would push the first one aside.
    const row = rowOf(poll, vote === 'A' ? poll.optionA.label : poll.optionB.label, { element, next, lang })
    foot.append(row)
  }, CALM_MS)
}

const draw = (path: Html): Html => html`<svg viewBox="0 0 16 16" aria-hidden="true">${path}</svg>`
const SHARE = draw(html`<path d="M8 10V1.5M4.8 4.2 8 1.2l3.2 3M4.5 7H2.8v7.5h10.4V7h-1.7"/>`)
const ON = draw(html`<path d="m6 3 5 5-5 5"/>`)

interface Offered {
  readonly element: Element
  readonly next: ServedPoll | null
  readonly lang: string
}

function rowOf(poll: ServedPoll, answer: string, { element, next, lang }: Offered): Element {
  const row = document.createElement('nav')
  const { shareAnswer, myAnswer } = wordsOf(lang)
  row.className = 'after'
  row.setAttribute('aria-label', poll.brand.name)
  const share = html`<button class="way share-answer" type="button" aria-label="${shareAnswer}" title="${shareAnswer}">${SHARE}<span class="say">${shareAnswer}</span></button>`
  patch(
    row,
    html`${share}<span class="out-of-sight" role="status"></span>${next && wayTo(next, element, lang)}`.toString(),
  )
  row.querySelector('button')?.addEventListener('click', async () => {
    const url = addressOf(`/p/${poll.slug}`)
    const text = `${poll.title} ${myAnswer.replace('#', () => answer)}`
    tell(row, '', shareAnswer)
    tell(row, await shareWords({ title: poll.title, text, url }, lang), shareAnswer)
    setTimeout(() => tell(row, '', shareAnswer), TOLD_MS)
  })
  if (next) row.querySelector('button.go')?.addEventListener('click', () => enter(element, row, next))
  return row
}

/** In the button that was pressed, which keeps the focus; and to screen readers. */
function tell(row: Element, told: string, otherwise: string): void {
  row.classList.toggle('is-told', told !== '')
  for (const [place, words] of [
    ['.say', told || otherwise],
    ['[role=status]', told],
  ] as const) {
    const shown = row.querySelector(place)
    if (shown) shown.textContent = words
  }
}

/** The first open poll of the brand's feed that this device has not voted on. */
async function findNext(poll: ServedPoll): Promise<ServedPoll | null> {
  try {
    const { data } = await voter.readFeed(poll.brand.slug)
    for (const { id, status } of data) {
      if (status === 'open' && id !== poll.id && !(await hasVotedOn(id))) return (await voter.getPoll(id)) as ServedPoll
    }
  } catch {
    // The poll that is shown is complete without a next one.
  }
  return null
}

function wayTo(next: ServedPoll, element: Element, lang: string): Html {
  const { next: word } = wordsOf(lang)
  const isPage =
    document.documentElement.dataset['kind'] === 'page' && element.shadowRoot?.querySelector('style') !== null
  const inside = html`<span class="say">${word}</span>${ON}`
  const name = html` class="way go" aria-label="${word}: ${next.title}" title="${next.title}"`
  // A page of ours has an address of its own for each poll; elsewhere the next poll takes the place of this one.
  return isPage
    ? html`<a${name} href="${addressOf(`/p/${next.shortId}${location.search}`)}">${inside}</a>`
    : html`<button${name} type="button">${inside}</button>`
}

/** The element takes the poll as it takes one from its page: without a request, and without a moment of waiting. */
function enter(element: Element, row: Element, next: ServedPoll): void {
  const given = document.createElement('script')
  given.type = 'application/json'
  given.textContent = JSON.stringify(next)
  row.remove()
  element.append(given)
  element.addEventListener(
    'tossup:ready',
    () => element.shadowRoot?.querySelector<HTMLElement>('[data-option]')?.focus({ preventScroll: true }),
    { once: true },
  )
  element.setAttribute('poll', next.shortId ?? next.id)
}
