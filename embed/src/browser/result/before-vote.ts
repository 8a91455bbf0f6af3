import { html } from '../../render/html.ts'
import { langOf, wordsOf } from '../../words.ts'
import { addressOf } from '../address-of.ts'
import { type CodePart, load } from '../parts.ts'
import { patch } from '../patch.ts'
import type { ServedPoll } from '../service.ts'
import type { PollState } from '../votes/poll-model.ts'
import { offerCheck } from './offer-check.ts'
import { isStill } from './still.ts'
import { watchTime } from './watch-time.ts'

/** The card of the poll. */
interface Card {
  areSeen: boolean
  show(): void
  refresh(): void
}

/** A live region must exist before its text changes, or it is not read out. */
const SAY_MS = 100

/** Before a vote, the room of the foot leads to the results, or to the calendar; what follows a vote takes its place. */
export function before(card: Card, place: Element, { poll, vote }: PollState): void {
  if (!poll) return
  if (poll.admission === 'code')
    load<CodePart>('code').then(
      ({ admit }) => admit(card, place, { poll, vote }),
      () => undefined,
    )
  watchTime(card, poll)
  if (!vote && (poll.status === 'closed' || card.areSeen)) offerCheck(place, { poll, vote } as PollState)
  const lang = langOf(place.querySelector('.tossup')?.getAttribute('lang'))
  const kind = vote ? null : kindOf(poll)
  const key = [poll.id, kind, lang].join(' ')
  const shown = place.querySelector<HTMLElement>('.before')
  if (shown?.dataset['key'] === key) return
  shown?.remove()
  if (!kind) return
  const row = rowOf(place, poll, kind, lang)
  row.dataset['key'] = key
  row.querySelector('button')?.addEventListener('click', ({ currentTarget }) => {
    card.areSeen = !card.areSeen
    card.show()
    sayResults(place, currentTarget as Element, card.areSeen)
  })
  if (kind === 'scheduled') answerTaps(place, row)
  place.querySelector('.foot')?.append(row)
}

function kindOf({ status, opensAt, resultsBeforeVote, tallies }: ServedPoll): 'scheduled' | 'results' | null {
  if (status === 'scheduled') return opensAt ? 'scheduled' : null
  const hasResults = status === 'open' && resultsBeforeVote && !tallies.hidden && tallies.total > 0
  return hasResults ? 'results' : null
}

const CALENDAR = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.5v3M10.5 1.5v3"/></svg>`

/** Within two weeks the foot counts down, so the button has the date. */
const NEAR = 14 * 86_400_000

function dateOf({ opensAt }: ServedPoll, lang: string): string | null {
  const at = Date.parse(opensAt ?? '')
  if (Number.isNaN(at) || at - Date.now() > NEAR) return null
  return new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}

function rowOf(place: Element, poll: ServedPoll, kind: 'scheduled' | 'results', lang: string): HTMLElement {
  const { showResults, addToCalendar } = wordsOf(lang)
  const date = dateOf(poll, lang)
  const row = document.createElement('nav')
  row.className = 'after before'
  row.setAttribute('aria-label', poll.title)
  // Polls of a list have no room for a button.
  const isAlone = (place.getRootNode() as ShadowRoot).host.localName === 'tossup-poll'
  const way =
    kind === 'results'
      ? html`<button class="way" type="button" aria-pressed="false"><span class="say">${showResults}</span></button>`
      : html`<a class="way" href="${addressOf(`/p/${poll.shortId ?? poll.slug}/calendar.ics`)}" aria-label="${[addToCalendar, date].filter(Boolean).join(': ')}" title="${addToCalendar}">${CALENDAR}<span class="say">${date ?? addToCalendar}</span></a>`
  patch(row, html`${isAlone && way}<span class="out-of-sight" role="status"></span>`.toString())
  return row
}

function sayResults(place: Element, button: Element, areSeen: boolean): void {
  button.setAttribute('aria-pressed', String(areSeen))
  const results = [...place.querySelectorAll('.option')].map((option) =>
    ['.words', '.figure'].map((part) => option.querySelector(part)?.textContent).join(' '),
  )
  const votes = place.querySelector('.status')?.textContent ?? ''
  say(button.parentElement, areSeen ? [...results, votes].join(', ') : '')
}

/** A poll that is not open yet says when it opens, to the eye too. */
function answerTaps(place: Element, row: Element): void {
  place.addEventListener('click', ({ target }) => {
    const status = place.querySelector('.status')
    if (!row.isConnected || !status || !(target as Element).closest('[data-option]')) return
    say(row, status.textContent ?? '')
    if (!isStill(place)) status.animate([{ opacity: 0.2 }, { opacity: 1 }], 500)
  })
}

function say(row: Element | null, words: string): void {
  const told = row?.querySelector('[role=status]')
  if (!told) return
  told.textContent = ''
  setTimeout(() => {
    told.textContent = words
  }, SAY_MS)
}
