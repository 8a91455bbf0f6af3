import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { directionOf, type Lang, votesIn } from '../../../../../embed/src/words.ts'
import { WORDS } from '../../../words/words.ts'
import { crosstabBlock } from './crosstab-block.ts'
import { formatsOf } from './formats.ts'
import type { CampaignResults, PollResult } from './read-results.ts'
import { isBallot, resultBlock, sourcesBlock, verdictText } from './result-parts.ts'

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
