import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { directionOf, type Lang, votesIn } from '../../../../../embed/src/words.ts'
import type { PollListItem } from '../../../events/resources/poll.ts'
import { filled, WORDS } from '../../../words/words.ts'
import { around, formatsOf } from './formats.ts'
import type { CampaignResults, Comparison, PollResult } from './read-results.ts'
import { isBallot, resultBlock, sourcesBlock, table, verdictText } from './result-parts.ts'

export const campaignParts = (
  results: CampaignResults,
  { lang, path, given }: { lang: Lang; path: string; given: readonly (readonly [string, string])[] },
): Html =>
  html`${results.steps.map((step) => stepBlock(step, lang, path))}${meaning(results.steps, lang)}${funnelBlock(results, lang)}${crosstabBlock(results, { lang, given })}${sourcesBlock(results.sources, null, lang)}`

function stepBlock(step: PollResult, lang: Lang, path: string): Html {
  const { poll, insight } = step
  return html`<section><h2 dir="auto">${poll.title}</h2><p class="facts"><b>${votesIn(lang, insight.votes)}</b> <span>${WORDS[lang].results[poll.status]}</span></p>${resultBlock(step, lang)}<p class="call" dir="auto">${verdictText(step, lang)}</p><p class="take"><a href="${path}/results.png?poll=${poll.slug}&lang=${lang}" download>${WORDS[lang].results.wide}</a></p></section>`
}

/** The reasons and limits of the verdicts above, each once. */
function meaning(steps: readonly PollResult[], lang: Lang): Html {
  const words = WORDS[lang].results
  const judged = steps.filter((step) => !isBallot(step))
  if (judged.length === 0) return html`<section class="verdict"><p>${words.wholeCount}</p></section>`
  const has = (verdict: PollResult['insight']['verdict']) => judged.some(({ insight }) => insight.verdict === verdict)
  const reasons = [
    has('leading') && html`<p>${words.leadingMeans}</p>`,
    has('too_close') && html`<p><b>${words.tooClose}:</b> ${words.tooCloseMeans}</p>`,
    !has('leading') && !has('too_close') && html`<p>${words.noVotesMeans}</p>`,
  ]
  return html`<section class="verdict"><div><h2>${words.says}</h2>${reasons}</div><div><h2>${words.saysNot}</h2><p>${words.notEverybody}</p><p>${words.oneLook}</p></div></section>`
}

/** Votes cast elsewhere would make a rate of something else. Null where no vote names the campaign. */
function funnelBlock({ funnel: { inCampaign, steps } }: CampaignResults, lang: Lang): Html | null {
  if (inCampaign.respondents === 0) return null
  const words = WORDS[lang].results
  const { count } = formatsOf(lang)
  const rows = [
    { name: words.respondents, value: inCampaign.respondents },
    ...steps.map((step) => ({ name: step.title, value: step.inCampaign })),
    { name: words.completed, value: inCampaign.completed },
  ]
  const items = rows.map(({ name, value }) => {
    const width = Math.round((value / inCampaign.respondents) * 10_000) / 100
    const x = directionOf(lang) === 'rtl' ? 100 - width : 0
    return html`<li><span dir="auto">${name}</span><b>${count(value)}</b><svg class="bar" width="100%" height="8" aria-hidden="true"><rect class="rest" width="100%" height="8" rx="4"/><rect class="fill" x="${x}%" width="${width}%" height="8" rx="4"/></svg></li>`
  })
  return html`<section><h2>${words.funnel}</h2><p class="legend">${words.funnelText}</p><ol class="funnel">${items}</ol></section>`
}

/** A form that needs no script, and the two steps that it has chosen. */
function crosstabBlock(
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
