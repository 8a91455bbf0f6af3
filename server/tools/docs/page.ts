import { type Html, html } from '../../../embed/src/render/html.ts'
import { version } from '../../src/config/config.ts'
import { DEMO_BRAND } from '../../src/features/pages/docs/home-routes.ts'
import { addressOfFile, headOf, scriptOf, topBar } from '../../src/features/pages/docs/page-parts.ts'

export interface NavGroup {
  readonly title: string
  readonly links: readonly { readonly address: string; readonly title: string }[]
}

export interface Page {
  readonly address: string
  readonly title: string
  readonly description: string
  /** Markup of ours or of `markdown.ts`. */
  readonly body: string
  /** The sections of a long page, for wide windows. */
  readonly toc: readonly { readonly id: string; readonly text: string }[]
}

const SEARCH = html`<div class="search" hidden><input type="search" placeholder="Search" aria-label="Search the docs" autocomplete="off" spellcheck="false" data-index="${addressOfFile('search.json')}"><p class="told" role="status"></p><div class="hits" hidden></div></div>`

/** A page of the docs: complete without a script, which adds the search and the copy buttons. */
export function docsPage({ address, title, description, body, toc }: Page, nav: readonly NavGroup[]): string {
  const isReference = address.startsWith('/docs/api')
  const scripts = ['docs.js', 'search.js', ...(isReference ? ['reference.js'] : [])].map(scriptOf)
  const forPrograms = address !== '/docs' && html`<link rel="alternate" type="text/markdown" href="${address}.md">`
  const menu = html`<nav class="side" id="menu" aria-label="Docs">${SEARCH}${navigation(nav, address)}<p class="version">Tossup ${version}</p></nav>`
  return `<!doctype html><html lang="en"><head>${headOf(`${title} · Tossup`, description)}${html`${forPrograms}${scripts}`}</head><body><a class="skip" href="#content">Skip to the content</a>${topBar(isReference ? 'reference' : 'guides')}<div class="columns">${menu}<main id="content"><a class="to-menu" href="#menu">All pages</a>${body}</main>${html`${tableOfContents(toc)}`}</div></body></html>`
}

const navigation = (groups: readonly NavGroup[], here: string): Html =>
  html`${groups.map(
    ({ title, links }) =>
      html`<p>${title}</p><ul>${links.map(({ address, title: name }) => html`<li><a href="${address}"${address === here && html` aria-current="page"`}>${name}</a></li>`)}</ul>`,
  )}`

const tableOfContents = (links: Page['toc']): Html | null =>
  links.length < 3
    ? null
    : html`<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${links.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`

const DEMO_POLL = 'tea-or-coffee'

export const DEMO_NOTE: Html = html`<p class="note">Examples name the brand <code>${DEMO_BRAND.slug}</code> and its polls, such as <code>${DEMO_POLL}</code>. Only the demo of <code>npm start</code> has them: on another service, put the names of your own brand and polls in their place.</p>`

/** A guide whose examples name the demo says so below its title: a service that is in use has none. */
export const withDemoNote = (body: string): string =>
  body.includes(DEMO_BRAND.slug) || body.includes(DEMO_POLL) ? body.replace('</h1>', () => `</h1>${DEMO_NOTE}`) : body
