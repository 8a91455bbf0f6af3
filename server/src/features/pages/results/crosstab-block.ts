import { type Html, html } from '../../../../../embed/src/render/html.ts'
import type { Lang } from '../../../../../embed/src/words.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import { filled, WORDS } from '../../../words/words.ts'
import { around, formatsOf } from './formats.ts'
import type { CampaignResults, Comparison } from './read-results.ts'
import { table } from './result-parts.ts'

/** A form that needs no script, and the two steps that it has chosen. */
export function crosstabBlock(
  { steps, comparison }: CampaignResults,
  { lang, given }: { lang: Lang; given: readonly (readonly [string, string])[] },
): Html | null {
  const [first, second] = comparison ? [comparison.rows, comparison.columns] : steps.slice(0, 2).map(({ poll }) => poll)
  if (!first || !second) return null
  const words = WORDS[lang].results
  const hidden = given.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const polls = steps.map(({ poll }) => poll)
  const rows = chooser('rows', polls, { label: words.first, chosen: first })
  const columns = chooser('columns', polls, { label: words.second, chosen: second })
  const form = html`<form action="#crosstab">${hidden}${rows}${columns}<button>${words.compare}</button></form>`
  return html`<section class="crosstab${!comparison && ' is-empty'}" id="crosstab"><h2>${words.crosstab}</h2>${form}${comparison && compared(comparison, lang)}</section>`
}

function chooser(
  name: string,
  polls: readonly PollListItem[],
  { label, chosen }: { label: string; chosen: PollListItem },
): Html {
  const options = polls.map(
    ({ slug, title }) =>
      html`<option value="${slug}" dir="auto"${slug === chosen.slug && html` selected`}>${title}</option>`,
  )
  return html`<label>${label}<select name="${name}">${options}</select></label>`
}

function compared({ rows, columns, crosstab }: Comparison, lang: Lang): Html {
  const words = WORDS[lang].results
  const titles = html`<p class="pair"><bdi>${rows.title}</bdi> <span aria-hidden="true">·</span> <bdi>${columns.title}</bdi></p>`
  if (!crosstab) return html`${titles}<p>${words.withheld}</p>`
  const { count, share, points } = formatsOf(lang)
  const lines = crosstab.cells.map((cells, i) => {
    const respondents = cells.reduce((sum, cell) => sum + cell, 0)
    const numbers = cells.map(
      (cell) => html`<b>${share(cell / respondents, respondents)}</b> <bdi>${count(cell)}</bdi>`,
    )
    const { label } = i === 0 ? rows.optionA : rows.optionB
    return { cells: [label, ...numbers], share: share((cells[0] ?? 0) / respondents, respondents) }
  })
  const [inA, inB] = lines.map((line) => line.share)
  const call = around(words.ofThose, {
    row: rows.optionA.label,
    column: columns.optionA.label,
    share: inA ?? '',
    rest: inB ?? '',
  })
  const { difference, low, high } = crosstab
  const apart =
    difference !== null &&
    low !== null &&
    high !== null &&
    html`<p>${filled(words.difference, { difference: points(difference), low: points(low), high: points(high) })}</p>`
  const heads = [rows.title, columns.optionA.label, columns.optionB.label]
  const numbers = table(
    heads,
    lines.map((line) => line.cells),
  )
  return html`${titles}<p class="call">${call}</p>${apart}${numbers}<p class="legend"><span>${filled(words.both, { count: count(crosstab.respondents) })}</span> <span>${words.noCause}</span></p>`
}
