import { type Html, type HtmlValue, html } from './render/html.ts'

/** Text in a box of its own: see layout.css. */
export const text = (words: HtmlValue): Html => html`<span class="text">${words}</span>`
