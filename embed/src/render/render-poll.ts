import { leaderOf } from '../leader-of.ts'
import type { Choice, PollView, RenderOptions, ThemeView } from '../poll-view.ts'
import { areResultsShown } from '../results.ts'
import { statusLine } from '../status-line.ts'
import { text } from '../text.ts'
import { schemeOf } from '../theme/looks.ts'
import { directionOf, langOf, wordsOf } from '../words.ts'
import { type Html, html } from './html.ts'
import { isWebAddress, picture } from './picture.ts'
import { renderChoice } from './render-choice.ts'

/** Renders a poll as HTML for pages, frames and shadow roots. */
export function renderPoll(poll: PollView, theme: ThemeView, options: RenderOptions = {}): string {
  const lang = langOf(options.lang)
  const scheme = schemeOf(theme)
  const titleId = `tossup-${poll.id}`
  const title = titleOf(poll, theme, { id: titleId, isHidden: options.hideTitle === true })
  const isBare = !poll.optionA.imageUrl && !poll.optionB.imageUrl
  const isBelow = theme.titlePlacement === 'BELOW'
  const { shown: order = 'AB' } = options
  const data = (value: string) => value.toLowerCase()
  return html`<article class="tossup" lang="${lang}" dir="${directionOf(lang)}" aria-labelledby="${titleId}" data-state="${stateOf(poll, options)}"
 data-scheme="${scheme}" data-radius="${data(theme.radius)}" data-density="${data(theme.density)}"
 data-font="${data(theme.fontStack)}" data-label="${data(theme.labelPlacement)}" data-align="${data(theme.labelAlign)}"
 data-elevation="${data(theme.elevation)}"${theme.motion === 'NONE' && html` data-motion="none"`}${theme.customCssUrl && ' data-css'}><div class="poll">${[
   !options.hideBrand && brandOf(poll, theme, options),
   !isBelow && title,
   isBare && picture(poll, { url: poll.images.combined, alt: '', slot: 'combined', isFirst: options.isFirst === true }),
   html`<div class="options" role="group" aria-labelledby="${titleId}"${poll.optionA.shuffled && ' data-random'}>${[
     [...order].map((choice) => renderChoice(poll, choice as Choice, options)),
     // Last, so that a brand's `.choice + .choice` and `.choice:nth-child(2)` are the second option.
     html`<span class="or${sideOf(poll, options)}" aria-hidden="true"><span>${wordsOf(lang).or}</span></span>`,
   ]}</div>`,
   // Room for the words that fit the result.
   (poll.status === 'open' || options.vote) && html`<p class="remark"></p>`,
   isBelow && title,
   html`<footer class="foot">${statusLine(poll, options, lang)}${
     !theme.hideWatermark && html`<p class="watermark">${text('Tossup')}</p>`
   }</footer>`,
 ]}</div></article>`.toString()
}

/** The states that a stylesheet can select by. An open poll has another state after the visitor's vote. */
function stateOf(poll: PollView, { vote = null, isKept, areSeen }: RenderOptions): string {
  if (isKept) return 'waiting'
  const state = poll.status === 'open' && vote ? 'voted' : poll.status
  return areResultsShown(poll, vote, areSeen) ? `${state} results` : state
}

/** Hidden visually at most: the title is also the poll's accessible name. */
function titleOf(poll: PollView, theme: ThemeView, { id, isHidden }: { id: string; isHidden: boolean }): Html {
  const out = isHidden || theme.titlePlacement === 'HIDDEN'
  return html`<h2 class="title${out && ' out-of-sight'}" id="${id}" dir="auto">${text(poll.title)}</h2>`
}

/** On which side the coin lies: of the options as they are seen. As long as no result is shown, it says "or". */
function sideOf(poll: PollView, { vote = null, isKept, shown = 'AB' }: RenderOptions): string {
  if (!areResultsShown(poll, isKept ? null : vote) || !poll.tallies.total) return ''
  const leader = leaderOf(poll)
  return ` is-${leader ? SIDES[shown.indexOf(leader)] : 'tie'}`
}

const SIDES = ['first', 'second']

function brandOf(
  { brand }: PollView,
  theme: ThemeView,
  { colorScheme = 'light dark', home = '' }: RenderOptions,
): Html | null {
  if (!brand) return null
  const named = (name: Html) =>
    brand.slug ? html`<a class="home" href="${home}/b/${brand.slug}" target="_top">${name}</a>` : name
  const light = [theme.logoLightUrl, theme.logoDarkUrl].find(isWebAddress)
  const dark = [theme.logoDarkUrl, theme.logoLightUrl].find(isWebAddress)
  if (!light || !dark) return html`<p class="brand" dir="auto">${named(text(brand.name))}</p>`
  const scheme = schemeOf(theme)
  const present = /light|dark/.test(scheme) ? scheme : colorScheme
  const source =
    /light.*dark|dark.*light/.test(present) &&
    dark !== light &&
    html`<source srcset="${dark}" media="(prefers-color-scheme: dark)">`
  const src = present === 'dark' ? dark : light
  const logo = html`<picture>${source}<img class="logo" src="${src}" alt="${brand.name}"></picture>`
  return html`<p class="brand">${named(logo)}</p>`
}
