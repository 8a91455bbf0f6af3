import { type Html, html } from '../../../../../embed/src/render/html.ts'

// Stand in the files of the docs for what only a running service knows: see docs-folder.ts.
export const SERVICE = '@service@'
/** The service, if it is reached with TLS: an app refuses any other address. */
export const PUBLISHED = '@published@'
export const BUILD = '@build@'

export const addressOfFile = (name: string): string => `/docs/files/${name}?build=${BUILD}`

const MARK = html`<img src="/favicon.svg" width="26" height="26" alt="">`

const ENGLISH_NAMES = { docs: 'Docs', reference: 'Reference', console: 'Console' }

export const topBar = (here: 'home' | 'guides' | 'reference', names: typeof ENGLISH_NAMES = ENGLISH_NAMES): Html =>
  html`<header class="bar"><a class="logo" href="/" aria-label="Tossup">${MARK}<span>Tossup</span></a><nav aria-label="Tossup"><a href="/docs"${here === 'guides' && html` aria-current="true"`}>${names.docs}</a><a href="/docs/api"${here === 'reference' && html` aria-current="true"`}>${names.reference}</a><a href="/console">${names.console}</a></nav></header>`

export const headOf = (title: string, description: string): Html =>
  html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><meta name="description" content="${description}"><link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="icon" href="/favicon.ico" sizes="32x32"><link rel="stylesheet" href="${addressOfFile('docs.css')}">`

export const scriptOf = (name: string): Html => html`<script type="module" src="${addressOfFile(name)}"></script>`

/** Code is written from the left, also on a page that is not. The script of the docs shows the button. */
export const codeBlock = (
  text: string,
  language: string,
  { copy, copied } = { copy: 'Copy', copied: 'Copied' },
): Html =>
  html`<div class="code" dir="ltr"><pre tabindex="0"><code data-language="${language}">${text}</code></pre><button type="button" class="copy" data-copied="${copied}" hidden>${copy}</button></div>`
