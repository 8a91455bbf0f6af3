import { type Html, html } from './html.ts'
import type { Choice, PollView, RenderOptions } from './poll-view.ts'
import { text } from './text.ts'
import { langOf, votesIn, wordsOf } from './words.ts'

/** The poll's status in words. */
export function statusLine(poll: PollView, { vote, isKept }: RenderOptions, lang: string): Html {
  const parts = [
    stateOf(poll, lang),
    isKept ? wordsOf(lang).waiting : votesOf(poll, vote ?? null, lang),
    poll.revisedAt ? wordsOf(lang).edited : '',
  ]
  const words = parts.filter((part) => part !== '').map((part, i) => (i === 0 ? part : html` · ${part}`))
  return html`<p class="status">${text(words)}</p>`
}

function stateOf({ status, opensAt }: PollView, lang: string): Html | string {
  const { closed, opens, notOpenYet } = wordsOf(lang)
  if (status === 'closed') return closed
  if (status === 'open') return ''
  return opensAt ? html`${opens} <time datetime="${opensAt}">${dateIn(lang, opensAt)}</time>` : notOpenYet
}

function votesOf({ status, tallies }: PollView, vote: Choice | null, lang: string): string {
  const { thanks, hidden, noVotes } = wordsOf(lang)
  if (status === 'scheduled') return ''
  if (tallies.hidden) return vote && status === 'open' ? thanks : hidden
  return tallies.total === 0 ? noVotes : votesIn(lang, tallies.total)
}

/** The server does not know the visitor's time zone, so times are in UTC. */
const dateIn = (lang: string, instant: string): string =>
  `${new Intl.DateTimeFormat(langOf(lang), { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(instant))} UTC`
