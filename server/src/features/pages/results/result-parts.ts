import { digitsFor, type Interval, shownInterval } from '../../../../../embed/src/insight/intervals.ts'
import type { Insight } from '../../../../../embed/src/insight/verdict.ts'
import type { Choice } from '../../../../../embed/src/poll-view.ts'
import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { picture } from '../../../../../embed/src/render/picture.ts'
import { sharesIn } from '../../../../../embed/src/results.ts'
import { directionOf, type Lang, percentIn, votesIn } from '../../../../../embed/src/words.ts'
import { OTHER_SOURCE } from '../../../events/resources/source-name.ts'
import { filled, WORDS } from '../../../words/words.ts'
import type { SourceRow } from '../../analytics/sources/sources.ts'
import type { PollResult, Timeline } from './read-results.ts'

/** Numbers and times in the form of a language. Times are in UTC, since the server does not know the reader's zone. */
interface Formats {
  count(value: number): string
  /** A share from 0 to 1 of this many votes. */
  share(value: number, votes: number): string
  /** A difference of shares, with its sign, in percentage points. */
  points(value: number): string
  day(at: number | string): string
  moment(at: number | string): string
}

const made = new Map<Lang, Formats>()

export function formatsOf(lang: Lang): Formats {
  const known = made.get(lang)
  if (known) return known
  const counts = new Intl.NumberFormat(lang)
  const points = new Intl.NumberFormat(lang, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  const days = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' })
  const moments = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const formats: Formats = {
    count: (value) => counts.format(value),
    share: (value, votes) => percentIn(lang, 100 * value, digitsFor(votes)),
    points: (value) => points.format(100 * value),
    day: (at) => days.format(new Date(at)),
    moment: (at) => `${moments.format(new Date(at))} UTC`,
  }
  made.set(lang, formats)
  return formats
}

/** Words around texts of the brand, which may be written in the other direction. */
export function around(words: string, texts: Readonly<Record<string, string>>): Html {
  const parts = words.split(/\{(\w+)\}/)
  return html`${parts.map((part, i) => (i % 2 === 0 ? html`${part}` : html`<bdi>${texts[part] ?? ''}</bdi>`))}`
}

/** The interval of B is the rest of that of A. */
export function intervalOf({ low, high }: Insight, choice: Choice): Interval | null {
  if (low === null || high === null) return null
  return choice === 'A' ? { low, high } : { low: 1 - high, high: 1 - low }
}

/** An interval in words: `52% to 58%`. */
export function intervalText(insight: Insight, choice: Choice, lang: Lang): string | null {
  const interval = intervalOf(insight, choice)
  if (!interval) return null
  const { share } = formatsOf(lang)
  const { low, high } = shownInterval(interval, insight.votes)
  return filled(WORDS[lang].results.interval, { low: share(low, insight.votes), high: share(high, insight.votes) })
}

/** Both options with their counts, shares and intervals. */
export const resultBlock = (result: PollResult, lang: Lang): Html =>
  html`<ul class="sides">${sideOf(result, 'A', lang)}${sideOf(result, 'B', lang)}</ul>`

function sideOf({ poll, insight }: PollResult, choice: Choice, lang: Lang): Html {
  const { text: share, length } = sharesIn(lang, poll.tallies)[choice]
  const option = choice === 'A' ? poll.optionA : poll.optionB
  const votes = choice === 'A' ? poll.tallies.optionA : poll.tallies.optionB
  const slot = choice === 'A' ? 'optionA' : 'optionB'
  const shown = picture(poll, { url: option.imageUrl, alt: option.imageAlt, slot, isFirst: true, place: option })
  const interval = intervalText(insight, choice, lang)
  const leads = insight.leader === choice
  return html`<li class="side${leads && ' is-ahead'}">${shown}<div class="option"><h3 dir="auto">${option.label}</h3><b class="share">${insight.votes > 0 && share}</b>${bar(length, intervalOf(insight, choice), lang)}<p>${votesIn(lang, votes)}${interval && html` <span class="interval">${interval}</span>`}</p></div></li>`
}

const rounded = (value: number): number => Math.round(value * 100) / 100

/** The interval is a line with an end at either side. Hidden from screen readers, which read the numbers. */
function bar(length: number, interval: Interval | null, lang: Lang): Html {
  const isRightToLeft = directionOf(lang) === 'rtl'
  const at = (share: number) => `${rounded(isRightToLeft ? 100 - 100 * share : 100 * share)}%`
  const start = isRightToLeft ? `${rounded(100 - length)}%` : '0'
  const line = (from: number, to: number, [top, bottom]: readonly [number, number]) =>
    html`<line x1="${at(from)}" x2="${at(to)}" y1="${top}" y2="${bottom}"/>`
  const reach =
    interval &&
    html`<g class="reach">${[
      line(interval.low, interval.high, [9, 9]),
      line(interval.low, interval.low, [4, 14]),
      line(interval.high, interval.high, [4, 14]),
    ]}</g>`
  return html`<svg class="bar" width="100%" height="18" aria-hidden="true"><rect class="rest" width="100%" height="18" rx="4"/><rect class="fill" x="${start}" width="${rounded(length)}%" height="18" rx="4"/>${reach}</svg>`
}

/** The verdict, its reason, and its limits. */
export function verdictBlock(result: PollResult, lang: Lang): Html {
  const words = WORDS[lang].results
  const { verdict } = result.insight
  const call = html`<h2>${words.says}</h2><p class="call" dir="auto">${verdictText(result, lang)}</p>`
  if (isBallot(result)) return html`<section class="verdict"><div>${call}<p>${words.wholeCount}</p></div></section>`
  const reason = { leading: words.leadingMeans, too_close: words.tooCloseMeans, no_votes: words.noVotesMeans }[verdict]
  const limits = [words.notEverybody, ...(verdict === 'no_votes' ? [] : [words.oneLook])]
  return html`<section class="verdict"><div>${call}<p>${reason}</p></div><div><h2>${words.saysNot}</h2>${limits.map((limit) => html`<p>${limit}</p>`)}</div></section>`
}

export function verdictText(result: PollResult, lang: Lang): Html {
  const { poll, insight } = result
  const { leading, tooClose, tie, noVotes } = WORDS[lang].results
  const label = insight.leader === 'B' ? poll.optionB.label : poll.optionA.label
  if (insight.verdict === 'leading') return around(leading, { label })
  if (insight.verdict === 'no_votes') return html`${noVotes}`
  return html`${isBallot(result) ? tie : tooClose}`
}

/** Votes by codes are a whole count, with nothing left to chance. */
export const isBallot = ({ poll, insight }: PollResult): boolean =>
  poll.admission === 'code' && insight.verdict !== 'no_votes'

const CHART_HEIGHT = 120

/** Votes of both sides on top of each other, a column for each bucket, and the same as a table. */
export function timelineBlock({ bucket, points }: Timeline, { poll }: PollResult, lang: Lang): Html | null {
  const most = Math.max(...points.map(({ optionA, optionB }) => optionA + optionB))
  if (most <= 0) return null
  const words = WORDS[lang].results
  const { count, day, moment } = formatsOf(lang)
  const time = bucket === 'hour' ? moment : day
  const isRightToLeft = directionOf(lang) === 'rtl'
  const width = 100 / points.length
  const columns = points.map(({ at, optionA, optionB }, i) => {
    const x = rounded((isRightToLeft ? points.length - 1 - i : i) * width)
    const heights = [optionA, optionB].map((votes) => rounded((votes / most) * CHART_HEIGHT))
    const [a = 0, b = 0] = heights
    const place = html`x="${x}%" width="${rounded(width * 0.86)}%"`
    return html`<g><title>${time(at)}: ${count(optionA)} · ${count(optionB)}</title><rect class="a" ${place} y="${rounded(CHART_HEIGHT - a)}" height="${a}"/><rect class="b" ${place} y="${rounded(CHART_HEIGHT - a - b)}" height="${b}"/></g>`
  })
  const [first, last] = [points[0]?.at ?? '', points.at(-1)?.at ?? '']
  const unit = { hour: words.byHour, day: words.byDay, week: words.byWeek }[bucket]
  const rows = points
    .filter(({ optionA, optionB }) => optionA + optionB > 0)
    .map(({ at, optionA, optionB }) => [time(at), count(optionA), count(optionB)])
  const labels = [poll.optionA.label, poll.optionB.label] as const
  return html`<section class="timeline"><h2>${words.overTime}</h2><p class="legend"><span>${unit}</span> <span class="key a"><bdi>${labels[0]}</bdi></span> <span class="key b"><bdi>${labels[1]}</bdi></span></p><p class="most">${count(most)}</p><svg class="chart" width="100%" height="${CHART_HEIGHT}" role="img" aria-label="${words.overTime}">${columns}</svg><p class="ends"><time datetime="${first}">${time(first)}</time>${points.length > 1 && html`<time datetime="${last}">${time(last)}</time>`}</p><details class="numbers"><summary>${words.asTable}</summary>${table([words.time, ...labels], rows)}</details></section>`
}

const NO_NUMBER = '–'

/** Views, votes and rate of each source, and the share of the first option where all votes are on one poll. */
export function sourcesBlock(sources: readonly SourceRow[], label: string | null, lang: Lang): Html | null {
  if (sources.length === 0) return null
  const words = WORDS[lang].results
  const { count, share } = formatsOf(lang)
  const rows = sources.map(({ source, views, votes, shareA, low, high }) => {
    const name = source === OTHER_SOURCE ? words.other : source
    const rate = rateOf({ views, votes })
    const counts = [name, count(views), count(votes), rate === null ? NO_NUMBER : share(rate, views)]
    if (label === null) return counts
    if (shareA === null || low === null || high === null) return [...counts, NO_NUMBER]
    const interval = `${share(low, votes)}–${share(high, votes)}`
    return [...counts, html`<b>${share(shareA, votes)}</b> <span class="interval">${interval}</span>`]
  })
  const columns = [words.source, words.views, words.votes, words.rate, ...(label === null ? [] : [label])]
  return html`<section class="sources"><h2>${words.sources}</h2>${table(columns, rows)}<p class="legend">${words.fewVotes}</p></section>`
}

/** Votes of each view. Views are approximate, and programs vote without any: null where the rate would mislead. */
export const rateOf = ({ views, votes }: Pick<SourceRow, 'views' | 'votes'>): number | null =>
  views === 0 || votes > views ? null : votes / views

/** The first column names the row; the others are numbers. */
export const table = (columns: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html =>
  html`<div class="scroll"><table><thead><tr>${columns.map((name) => html`<th scope="col"><bdi>${name}</bdi></th>`)}</tr></thead><tbody>${rows.map(
    ([name = '', ...cells]) =>
      html`<tr><th scope="row"><bdi>${name}</bdi></th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`
