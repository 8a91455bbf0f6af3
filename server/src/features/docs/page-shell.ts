import { type Html, html } from '../../../../embed/src/html.ts'
import { version } from '../../version.ts'

export interface Place {
  /** The page's address; its link is marked in the navigation. */
  readonly address: string
  readonly title: string
}

interface Shell extends Place {
  readonly description: string
  /** Names of files for the page, beside the common stylesheet and script. */
  readonly scripts?: readonly string[]
  readonly nav: readonly NavGroup[]
  readonly toc: Html | null
  /** Markup of ours or of `markdown.ts`. */
  readonly body: string
}

export interface NavGroup {
  readonly title: string
  readonly links: readonly { readonly address: string; readonly title: string }[]
}

/** The address of a file for these pages, which changes with its content. */
export type AddressOfFile = (name: string) => string

const MARK = html`<img src="/favicon.svg" width="26" height="26" alt="">`

const ENGLISH_NAMES = { docs: 'Docs', reference: 'Reference', console: 'Console' }

export const topBar = (here: 'home' | 'guides' | 'reference', names: typeof ENGLISH_NAMES = ENGLISH_NAMES): Html =>
  html`<header class="bar"><a class="logo" href="/" aria-label="Tossup">${MARK}<span>Tossup</span></a><nav aria-label="Tossup"><a href="/docs"${here === 'guides' && html` aria-current="true"`}>${names.docs}</a><a href="/docs/api"${here === 'reference' && html` aria-current="true"`}>${names.reference}</a><a href="/console">${names.console}</a></nav></header>`

export const headOf = (place: Place & { readonly description: string }, fileAddress: AddressOfFile): Html =>
  html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${place.title}</title><meta name="description" content="${place.description}"><link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="stylesheet" href="${fileAddress('docs.css')}">`

/** A page of the docs: complete without a script, which adds the search and the copy buttons. */
export function docsPage(shell: Shell, fileAddress: AddressOfFile): string {
  const { address, title, description, nav, toc, body, scripts = [] } = shell
  const head = headOf({ address, title: `${title} · Tossup`, description }, fileAddress)
  const files = ['docs.js', ...scripts].map((name) => html`<script type="module" src="${fileAddress(name)}"></script>`)
  const search = html`<div class="search" hidden><input type="search" placeholder="Search" aria-label="Search the docs" autocomplete="off" spellcheck="false" data-index="${fileAddress('search.json')}" data-ranking="${fileAddress('ranking.js')}"><p class="told" role="status"></p><div class="hits" hidden></div></div>`
  const here = address.startsWith('/docs/api') ? 'reference' : 'guides'
  return `<!doctype html><html lang="en"><head>${head}${html`${files}`}</head><body><a class="skip" href="#content">Skip to the content</a>${topBar(here)}<div class="columns"><nav class="side" id="menu" aria-label="Docs">${search}${navigation(nav, address)}<p class="version">${html`Tossup ${version}`}</p></nav><main id="content"><a class="to-menu" href="#menu">All pages</a>${body}</main>${html`${toc}`}</div></body></html>`
}

const navigation = (groups: readonly NavGroup[], here: string): Html =>
  html`${groups.map(
    ({ title, links }) =>
      html`<p>${title}</p><ul>${links.map(({ address, title: name }) => html`<li><a href="${address}"${address === here && html` aria-current="page"`}>${name}</a></li>`)}</ul>`,
  )}`

/** The sections of a long page, for wide windows. */
export const tableOfContents = (links: readonly { readonly id: string; readonly text: string }[]): Html | null =>
  links.length < 3
    ? null
    : html`<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${links.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`
