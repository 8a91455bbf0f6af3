import { directionOf, langOf, wordsOf } from '../words.ts'
import { html } from './html.ts'

/** The empty state of a list. */
export function renderNothing(lang: string): string {
  const known = langOf(lang)
  return html`<p class="nothing" lang="${known}" dir="${directionOf(known)}">${wordsOf(known).noPolls}</p>`.toString()
}
