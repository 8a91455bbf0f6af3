import { type Html, html } from './html.ts'
import type { Choice, PollView } from './poll-view.ts'
import { text } from './text.ts'

/** How the poll stands, in words. */
export function statusLine(poll: PollView, vote: Choice | null, lang: string): Html {
  const parts = [stateOf(poll, lang), votesOf(poll, vote, lang), poll.revisedAt ? 'edited after its first vote' : '']
  const words = parts.filter((part) => part !== '').map((part, i) => (i === 0 ? part : html` · ${part}`))
  return html`<p class="status">${text(words)}</p>`
}

function stateOf({ status, opensAt }: PollView, lang: string): Html | string {
  if (status === 'closed') return 'Closed'
  if (status === 'open') return ''
  return opensAt ? html`Opens <time datetime="${opensAt}">${dateIn(lang, opensAt)}</time>` : 'Not open yet'
}

function votesOf({ status, tallies }: PollView, vote: Choice | null, lang: string): string {
  if (status === 'scheduled') return ''
  if (tallies.hidden) return vote && status === 'open' ? 'Thank you for your vote' : 'Results are not shown'
  if (tallies.total === 0) return 'No votes yet'
  return `${new Intl.NumberFormat(lang).format(tallies.total)} ${tallies.total === 1 ? 'vote' : 'votes'}`
}

/** The server does not know the visitor's clock: what is said in words is in UTC. */
const dateIn = (lang: string, instant: string): string =>
  `${new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(instant))} UTC`
