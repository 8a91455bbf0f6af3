import { type Html, html } from '../../../../../embed/src/html.ts'

/** A description of the interface: paragraphs, and code between backticks. Everything else in it is text. */
export function inline(text: string): Html {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '')
  return html`${paragraphs.map((paragraph) => html`<p>${withCode(paragraph)}</p>`)}`
}

/** Every second part stands between backticks. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
