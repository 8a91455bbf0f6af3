// features/pages/stage: polls on a screen before an audience.
import { html } from '../../../../../embed/src/render/html.ts'
import { renderStage, type StagePoll } from '../../../../../embed/src/render/render-stage.ts'
import sheet from '../../../../../embed/src/styles/stage.css' with { type: 'text' }
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { focusCss } from '../../../../../embed/src/theme/focus-css.ts'
import { isSet, type Looks, renderOptionsOf, themeWith } from '../../../../../embed/src/theme/looks.ts'
import { langOf, wordsOf } from '../../../../../embed/src/words.ts'
import { WORDS } from '../../../words/words.ts'
import { type Page, type Subject, scriptWith, themedPage } from '../page.ts'

/** How a stage looks, beside the appearance of every page. */
export interface StageLooks {
  /** `?ground=none`: nothing behind the poll, for the picture of a broadcast. */
  readonly isClear: boolean
  /** `?results=hidden`: the results of each poll wait until the presenter shows them. */
  readonly isConcealed: boolean
}

const STYLES = compactCss(sheet + focusCss)

/** The polls of a page's JSON: one, or those of a campaign. Each without its brand, which all of them share. */
function pollsOf({ json, reference }: Subject): StagePoll[] {
  const data = JSON.parse(json)
  const polls: readonly StagePoll[] = reference.name === 'campaign' ? data.polsts : [data]
  return polls.map((poll) => ({ ...poll, brand: null }))
}

/** The buttons of the presenter, which a script brings to life. */
function controlsOf(lang: string): string {
  const { back, next } = wordsOf(lang)
  const { hideResults, fullScreen } = WORDS[langOf(lang)].stage
  const button = (name: string, words: string) => html`<button type="button" data-do="${name}">${words}</button>`
  return html`<nav class="controls">${[
    button('back', back),
    button('results', hideResults),
    button('next', next),
    button('full', fullScreen),
  ]}</nav>`.toString()
}

/** A poll, or the polls of a campaign one after another, on the whole screen. The first one is there before the script. */
export function stagePage(subject: Subject, looks: Looks, { isClear, isConcealed }: StageLooks): Page {
  const { title, address } = subject
  const theme = themeWith(subject.theme, looks)
  const { lang = 'en' } = renderOptionsOf(looks)
  const polls = pollsOf(subject)
  const open = polls.findIndex(({ status }) => status === 'open')
  const at = Math.max(0, open)
  const { scan, hideResults, lost } = WORDS[langOf(lang)].stage
  const home = new URL(address).origin
  const brand = isSet(looks.hideBrand) ? '' : subject.brandName
  const campaign = subject.reference.name === 'campaign' ? new URL(address).pathname : null
  const view = { lang: langOf(lang), brand, at, isConcealed, home, campaign }
  const [first] = polls.slice(at)
  const inside = first
    ? renderStage(first, { ...view, scan, total: polls.length })
    : html`<h1 class="title" dir="auto">${title}</h1><div class="below">${wordsOf(lang).noPolls}</div>`
  const given = { ...view, polls, words: wordsOf(lang), stage: { scan, hideResults, lost } }
  return themedPage({
    theme,
    lang: langOf(lang),
    sheet: STYLES,
    title: first?.title ?? title,
    head: html`<link rel="canonical" href="${address}">`,
    root: html`${theme.motion === 'NONE' && html` data-motion="none"`}${isClear && html` data-ground="none"`}`,
    body: `<body class="tossup"><main><div class="board">${inside}</div></main>${html`<p class="lost" role="status" hidden>${lost}</p>`}${controlsOf(lang)}${scriptWith(given, '/embed/stage.js')}</body>`,
  })
}
