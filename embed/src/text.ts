import { type Html, type HtmlValue, html } from './html.ts'

/** Words in a box of their own, which integrity-parts.css keeps: what is around them may have none. */
export const text = (words: HtmlValue): Html => html`<span class="text">${words}</span>`
