import { readFeed } from '../../../../sdk/src/wire/polls-together.ts'
import type { Choice } from '../../poll-view.ts'
import { type Html, html } from '../../render/html.ts'
import { SLOTS } from '../../render/render-choice.ts'
import { isSet } from '../../theme/looks.ts'
import { langOf, wordsOf } from '../../words.ts'
import { addressOf } from '../address-of.ts'
import { patch } from '../patch.ts'
import { type ServedPoll, voter } from '../service.ts'
import type { PollState } from '../votes/poll-model.ts'
import { hasVotedOn } from '../votes/voted-polls.ts'
import { offerCheck } from './offer-check.ts'
import { remark } from './remark.ts'
import { shareWords } from './share-words.ts'

/** The result is drawn, and the vote on its way, before anything else is asked for. */
const CALM_MS = 500
/** How long it is told that the answer was copied. */
const TOLD_MS = 4_000

const rows = new WeakMap<Element, string>()

/**
 * Leads on from a poll with a vote: words that fit its result, sharing of the answer, and the next poll of the brand. The poll
 * has room for all of it.
 */
export function lead(place: Element, state: PollState): void {
  const { poll, vote, isKept } = state
  const foot = place.querySelector('.foot')
  const element = (place.getRootNode() as ShadowRoot).host
  remark(place, state, langOf(element.closest('[lang]')?.getAttribute('lang')))
  if (vote && !isKept) offerCheck(place, state)
  if (!poll || !foot || element.localName !== 'tossup-poll') return
  // An answer that is not sent yet is not shared.
  if (!vote || isKept) {
    if (rows.delete(foot)) foot.querySelector('nav')?.remove()
    return
  }
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
    const row = rowOf(poll, vote, { element, next, lang })
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

function rowOf(poll: ServedPoll, vote: Choice, { element, next, lang }: Offered): Element {
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
    // The page of this address is the same one; its picture shows the side.
    const url = addressOf(`/p/${poll.shortId ?? poll.slug}?side=${vote}`)
    const { label } = poll[SLOTS[vote]]
    const text = `${poll.title} ${myAnswer.replace('#', () => label)}`
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
    const { data } = await readFeed(voter, poll.brand.slug)
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
  // `choose` and `side` name an answer of this poll: the next one would open with an answer chosen.
  const rest = new URLSearchParams(location.search)
  for (const each of ['choose', 'side']) rest.delete(each)
  return isPage
    ? html`<a${name} href="${addressOf(`/p/${next.shortId}${`?${rest}`.replace(/\?$/, '')}`)}">${inside}</a>`
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
