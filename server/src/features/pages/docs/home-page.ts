import { type Html, html } from '../../../../../embed/src/html.ts'
import { directionOf, type Lang } from '../../../../../embed/src/words.ts'
import { version } from '../../../config/version.ts'
import { HOME_WORDS, type HomeWords } from './home-words.ts'
import { codeBlock, headOf, SERVICE, scriptOf, topBar } from './page-parts.ts'

export interface DemoPollLink {
  readonly slug: string
  readonly title: string
}

/**
 * The page at `/`: what this service is, polls to try, and where to go next. `polls` are the open ones of the demo, none where
 * there is no demo.
 */
export function homePage(lang: Lang, polls: readonly DemoPollLink[]): string {
  const words = HOME_WORDS[lang]
  const head = headOf('Tossup', words.sentence)
  const scripts = html`${scriptOf('docs.js')}${polls.length > 0 && html`<script type="module" src="/embed.js"></script>`}`
  const hero = html`<section class="hero"><h1>${words.question}</h1><p>${words.sentence}</p></section>`
  const names = { docs: words.docs[0], reference: words.reference[0], console: words.console[0] }
  return `<!doctype html><html${html` lang="${lang}" dir="${directionOf(lang)}"`}><head>${head}${scripts}</head><body class="home">${topBar('home', names)}<main id="content">${hero}${html`${demoPart(words, polls)}`}${html`<h2>${words.next}</h2>`}${ways(words)}${ownPage(words, polls)}<p class="version">${html`<bdi>Tossup ${version}</bdi> · <bdi>${words.license}</bdi> · <bdi><a href="/openapi.json">openapi.json</a></bdi>`}</p></main></body></html>`
}

const ways = (words: HomeWords): Html =>
  html`<ul class="cards ways">${way('/console', words.console)}${way('/docs', words.docs, words.english)}${way('/docs/api', words.reference, words.english)}</ul>`

/** `note` says that what is behind the link is in English. */
const way = (address: string, [title, text]: readonly [string, string], note: string | null = null): Html =>
  html`<li><a href="${address}"${note !== null && html` hreflang="en"`}>${title}</a>${note !== null && html` <small>${note}</small>`}<p>${text}</p></li>`

const demoPart = ({ demo }: HomeWords, polls: readonly DemoPollLink[]): Html | null =>
  polls.length === 0
    ? null
    : html`<section class="demo" aria-label="${demo}">${polls.map(({ slug, title }) => html`<div><tossup-poll poll="${slug}"><a href="/p/${slug}">${title}</a></tossup-poll></div>`)}</section>`

/** The two lines that show a poll, with the address of this server. */
function ownPage(words: HomeWords, [first]: readonly DemoPollLink[]): Html {
  const code = `<script type="module" src="${SERVICE}/embed.js"></script>\n<tossup-poll poll="${first?.slug ?? 'your-poll'}"></tossup-poll>`
  return html`<h2>${words.own}</h2><p>${words.lines}</p>${codeBlock(code, 'html', words)}`
}
