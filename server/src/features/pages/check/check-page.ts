// features/pages/check: the page that counts the votes of a poll again.
import { html } from '../../../../../embed/src/render/html.ts'
import pageSheet from '../../../../../embed/src/styles/page.css' with { type: 'text' }
import { compactCss } from '../../../../../embed/src/theme/compact-css.ts'
import { type Looks, themeWith } from '../../../../../embed/src/theme/looks.ts'
import { langOf } from '../../../../../embed/src/words.ts'
import type { PublicPoll } from '../../../events/resources/poll.ts'
import { WORDS } from '../../../words/words.ts'
import { masthead } from '../around/around-page.ts'
import { type Page, type Subject, scriptWith, themedPage } from '../page.ts'
import sheet from './check-page.css' with { type: 'text' }

const STYLES = compactCss([pageSheet, sheet].join('\n'))
const STEPS = ['signature', 'seen', 'recount', 'own'] as const

/** The page that counts the votes of a poll again, in the browser: a frame that `embed/src/browser/check` fills. */
export function checkPage(poll: PublicPoll, subject: Subject, looks: Looks): Page {
  const lang = langOf(looks.lang)
  const words = WORDS[lang].check
  const theme = themeWith(subject.theme, looks)
  const steps = STEPS.map(
    (step) => html`<li data-step="${step}"><i aria-hidden="true"></i><div><b>${words[step]}</b><p></p></div></li>`,
  )
  const list = (texts: readonly string[]) => html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`
  const notShown = poll.admission === 'code' ? [words.notByCode, ...words.notList.slice(1)] : words.notList
  const keep = html`<section class="keep"><h3>${words.keep}</h3><p>${words.keepText}</p><p class="ways"><a class="download" download hidden>${words.download}</a> <label><input type="file" accept="application/json,.json">${words.choose}</label></p></section>`
  const main = html`<main class="tossup check"><h2 class="title">${words.title}</h2><p class="of"><a href="/p/${poll.shortId}" dir="auto">${poll.title}</a></p><p>${words.intro}</p><noscript><p>${words.noScript}</p></noscript><p class="spoken" role="status"></p><section class="verdict" hidden><i aria-hidden="true"></i><div><h3></h3><p></p><progress max="1"></progress></div></section><ol class="steps" hidden>${steps}</ol><p class="told" hidden></p><p class="ways"><button type="button" class="again" hidden>${words.again}</button> <a class="evidence" hidden>${words.evidence}</a></p><div class="meaning"><section><h3>${words.shows}</h3>${list(words.showsList)}</section><section><h3>${words.not}</h3>${list(notShown)}</section></div>${keep}<p class="ways"><a href="/docs/check-a-count" hreflang="en">${words.byHand}</a></p></main>`
  const given = { pollId: poll.id, lang, labels: [poll.optionA.label, poll.optionB.label], words }
  const { brandName, brandSlug } = subject
  return themedPage({
    theme,
    lang,
    sheet: STYLES,
    title: `${words.title} · ${poll.title}`,
    root: html` data-kind="page"`,
    body: `<body>${masthead({ brandName, brandSlug, theme, avatarUrl: null })}${main}${scriptWith(given, '/embed/check.js')}</body>`,
  })
}
