import { html } from './html.ts'
import { directionOf, langOf, wordsOf } from './words.ts'

/** In place of polls, where there are none. */
export function renderNothing(lang: string): string {
  const known = langOf(lang)
  return html`<p class="nothing" lang="${known}" dir="${directionOf(known)}">${wordsOf(known).noPolls}</p>`.toString()
}
