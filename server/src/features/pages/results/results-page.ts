import { type Html, html } from '../../../../../embed/src/render/html.ts'
import pageSheet from '../../../../../embed/src/styles/page.css' with { type: 'text' }
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { focusCss } from '../../../../../embed/src/theme/focus-css.ts'
import { type Looks, themeWith } from '../../../../../embed/src/theme/looks.ts'
import { type Lang, langOf, votesIn } from '../../../../../embed/src/words.ts'
import { iso } from '../../../base/clock.ts'
import { filled, WORDS } from '../../../words/words.ts'
import { masthead } from '../around/around-page.ts'
import { type Page, sourceHash, themedPage } from '../page.ts'
import { campaignParts } from './campaign-parts.ts'
import { formatsOf } from './formats.ts'
import type { CampaignResults, PollResults, Results } from './read-results.ts'
import { resultBlock, sourcesBlock, timelineBlock, verdictBlock } from './result-parts.ts'
import sheet from './results-page.css' with { type: 'text' }

const STYLES = compactCss([pageSheet, focusCss, sheet].join('\n'))

const PRINT = `{
const button = document.currentScript.previousElementSibling
button.hidden = false
button.onclick = () => print()
}`

interface Given {
  readonly looks: Looks
  /** The path of the page, which has the token. */
  readonly path: string
  /** Appearance parameters of the address, which the form of a campaign keeps. */
  readonly given: readonly (readonly [string, string])[]
  readonly expiresAt: number | null
}

/** A document that needs no script, but for the button that prints it. */
export function resultsPage(results: Results, { looks, path, given, expiresAt }: Given): Page {
  const { title, brand, countedAt } = results
  const lang = langOf(looks.lang)
  const words = WORDS[lang].results
  const theme = themeWith(brand.theme, looks)
  const { moment } = formatsOf(lang)
  const counted = html`<time datetime="${iso(countedAt)}">${filled(words.counted, { date: moment(countedAt) })}</time>`
  const parts = results.kind === 'poll' ? pollParts(results, lang) : campaignParts(results, { lang, path, given })
  const until = expiresAt === null ? '' : html` ${filled(words.until, { date: moment(expiresAt) })}`
  const source = html`<p class="source">${filled(words.from, { brand: brand.name })}${!theme.hideWatermark && ' · Tossup'}</p>`
  return themedPage({
    theme,
    lang,
    sheet: STYLES,
    title: `${title} · ${words.title}`,
    head: html`<meta name="referrer" content="no-referrer">`,
    root: html` data-kind="page"`,
    body: `<body>${masthead({ brandName: brand.name, brandSlug: brand.slug, theme, avatarUrl: null })}<main class="tossup results"><h2 class="title" dir="auto">${html`${title}`}</h2><p class="facts">${stateOf(results, lang)}${counted}</p>${parts}${source}<p class="note">${words.shared}${until}</p></main>${actions(results, { path, lang })}</body>`,
    scriptHashes: [sourceHash(PRINT)],
  })
}

/** The number of votes, and whether more can come. */
function stateOf(results: Results, lang: Lang): Html {
  if (results.kind === 'campaign') return html``
  const { poll, insight } = results.result
  return html`<b>${votesIn(lang, insight.votes)}</b> <span>${WORDS[lang].results[poll.status]}</span> `
}

const pollParts = ({ result, timeline, sources }: PollResults, lang: Lang): Html =>
  html`<section>${resultBlock(result, lang)}</section>${verdictBlock(result, lang)}${timelineBlock(timeline, result, lang)}${sourcesBlock(sources, result.poll.optionA.label, lang)}`

/** Ways to take the page along; none is printed. */
function actions(results: PollResults | CampaignResults, { path, lang }: { path: string; lang: Lang }): string {
  const words = WORDS[lang].results
  const link = (file: string, text: string) => html`<a href="${path}/${file}" download>${text}</a>`
  const files =
    results.kind === 'poll'
      ? [
          link(`results.png?lang=${lang}`, words.wide),
          link(`results.png?shape=square&lang=${lang}`, words.square),
          link('results.csv', words.csv),
          link('timeline.csv', words.timelineCsv),
        ]
      : [link('results.csv', words.csv)]
  if (results.sources.length > 0) files.push(link('sources.csv', words.sourcesCsv))
  return `<nav class="sharing"><button type="button" hidden>${words.print}</button><script>${PRINT}</script>${html`${files}`}</nav>`
}
