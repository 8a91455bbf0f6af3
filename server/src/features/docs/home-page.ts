import { type Html, html } from '../../../../embed/src/html.ts'
import { version } from '../../version.ts'
import { codeBlock } from './markdown.ts'
import { type AddressOfFile, headOf, topBar } from './page-shell.ts'

export interface DemoPollLink {
  readonly slug: string
  readonly title: string
}

interface Home {
  readonly publicUrl: string
  /** Open polls of the demo; empty where there is no demo. */
  readonly polls: readonly DemoPollLink[]
}

const SENTENCE = 'Two-option polls for any page: one vote per device, and an exact count.'

/** The page at `/`: what this service is, polls to try, and where to go next. */
export function homePage({ publicUrl, polls }: Home, fileAddress: AddressOfFile): string {
  const head = headOf({ address: '/', title: 'Tossup', description: SENTENCE }, fileAddress)
  const scripts = html`<script type="module" src="${fileAddress('docs.js')}"></script>${polls.length > 0 && html`<script type="module" src="/embed.js"></script>`}`
  const hero = html`<section class="hero"><h1>This or that?</h1><p>${SENTENCE}</p></section>`
  const next = html`<ul class="cards ways">${way('/console', 'Console', 'Create polls, see results and invite people, without code.')}${way('/docs', 'Docs', 'From the first poll to a server that you can watch and back up.')}${way('/docs/api', 'Reference', 'Every operation of the interface, with examples and a form to try it.')}</ul>`
  return `<!doctype html><html lang="en"><head>${head}${scripts}</head><body class="home">${topBar('home')}<main id="content">${hero}${html`${demoPart(polls)}`}${html`<h2>Where to go next</h2>`}${next}${ownPage(publicUrl, polls)}<p class="version">${html`Tossup ${version} · MIT licensed · <a href="/openapi.json">openapi.json</a>`}</p></main></body></html>`
}

const way = (address: string, title: string, text: string): Html =>
  html`<li><a href="${address}">${title}</a><p>${text}</p></li>`

const demoPart = (polls: readonly DemoPollLink[]): Html | null =>
  polls.length === 0
    ? null
    : html`<section class="demo" aria-label="Polls of the demo">${polls.map(({ slug, title }) => html`<div><tossup-poll poll="${slug}"><a href="/p/${slug}">${title}</a></tossup-poll></div>`)}</section>`

/** The two lines that show a poll, with the address of this server. */
function ownPage(publicUrl: string, [first]: readonly DemoPollLink[]): Html {
  const lines = `<script type="module" src="${publicUrl}/embed.js"></script>\n<tossup-poll poll="${first?.slug ?? 'your-poll'}"></tossup-poll>`
  return html`<h2>On your own page</h2><p>These two lines show a poll. The poll brings its style, its language and its results.</p>${codeBlock(lines, 'html')}`
}
