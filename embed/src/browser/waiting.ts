import { html } from '../html.ts'
import { type Looks, renderOptionsOf } from '../looks.ts'
import { directionOf, langOf, wordsOf } from '../words.ts'
import type { Trouble } from './poll-model.ts'

/** The room that a poll will take, or why there is none. */
export function waiting(looks: Looks, trouble: Trouble | null): string {
  const lang = langOf(renderOptionsOf(looks).lang)
  const words = wordsOf(lang)
  const inside = trouble
    ? html`<p class="notice" role="alert">${words[trouble]} <button class="retry" type="button" data-retry>${words.retry}</button></p>`
    : html`<span class="spoken">${words.loading}</span>`
  return html`<div class="waiting" lang="${lang}" dir="${directionOf(lang)}">${inside}</div>`.toString()
}
