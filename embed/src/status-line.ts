import type { Choice, PollView, RenderOptions } from './poll-view.ts'
import { type Html, html } from './render/html.ts'
import { text } from './text.ts'
import { langOf, votesIn, wordsOf } from './words.ts'

/** The poll's status in words. */
export function statusLine(poll: PollView, { vote, isKept, now, home = '' }: RenderOptions, lang: string): Html {
  const parts = [
    stateOf(poll, lang, now),
    isKept ? wordsOf(lang).waiting : votesOf(poll, vote ?? null, lang),
    poll.revisedAt
      ? html`<a class="home" href="${home}/p/${poll.shortId}#revisions" target="_top">${wordsOf(lang).edited}</a>`
      : '',
  ]
  const words = parts.filter((part) => part !== '').map((part, i) => (i === 0 ? part : html` · ${part}`))
  return html`<p class="status">${text(words)}</p>`
}

function stateOf({ status, opensAt, closesAt }: PollView, lang: string, now: number | undefined): Html | string {
  const { closed, opens, closes, notOpenYet } = wordsOf(lang)
  const at = (word: string, instant: string) =>
    html`${word} <time datetime="${instant}">${timeIn(lang, instant, now)}</time>`
  if (status === 'closed') return closed
  if (status === 'scheduled') return opensAt ? at(opens, opensAt) : notOpenYet
  return closesAt ? at(closes, closesAt) : ''
}

function votesOf({ status, tallies, resultsVisibility }: PollView, vote: Choice | null, lang: string): string {
  const { thanks, hidden, afterVote, afterClose, never, noVotes, beFirst, tie } = wordsOf(lang)
  if (status === 'scheduled') return ''
  if (!tallies.hidden) {
    if (tallies.total === 0) return status === 'open' ? beFirst : noVotes
    const isTie = status === 'closed' && tallies.optionA === tallies.optionB
    return (isTie ? `${tie} · ` : '') + votesIn(lang, tallies.total)
  }
  const why = { after_vote: afterVote, after_close: afterClose, never, always: hidden }[resultsVisibility ?? 'always']
  if (!vote || status !== 'open') return why
  // One of the two: the mark thanks already, and a longer line would change the height of the card.
  return resultsVisibility === 'after_close' ? why : thanks
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Further away, a date says more than a number of days. */
const NEAR = 14 * DAY

const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
] as const

/** Relative where it is near. Without `now`, on the server, nothing is known of the visitor's clock: the time is in UTC. */
function timeIn(lang: string, instant: string, now?: number): string {
  const known = langOf(lang)
  const at = Date.parse(instant)
  const format = (timeZone?: 'UTC') =>
    new Intl.DateTimeFormat(known, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at)
  if (now === undefined) return `${format('UTC')} UTC`
  const left = Math.max(SECOND, at - now)
  if (left > NEAR) return format()
  const [unit, length] = UNITS.find(([, each]) => left >= each) ?? ['second', SECOND]
  return new Intl.RelativeTimeFormat(known).format(Math.ceil(left / length), unit)
}
