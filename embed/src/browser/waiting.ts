import { html } from '../html.ts'
import { type Looks, renderOptionsOf } from '../looks.ts'
import { retryButton } from '../render-inside.ts'
import { directionOf, langOf, type Trouble, wordsOf } from '../words.ts'

/** The room that a poll will take, or why there is none. */
export function waiting(looks: Looks, trouble: Trouble | null): string {
  const lang = langOf(renderOptionsOf(looks).lang)
  const inside = trouble
    ? html`<p class="notice" role="alert">${sayingOf(trouble, lang)}${trouble === 'unreachable' && retryButton(lang)}</p>`
    : html`<span class="spoken">${wordsOf(lang).loading}</span>`
  return html`<div class="waiting" lang="${lang}" dir="${directionOf(lang)}">${inside}</div>`.toString()
}

/** What does not come because the visitor has no network is nobody else's fault. */
export const sayingOf = (trouble: Trouble, lang: string): string =>
  (trouble === 'unreachable' && !navigator.onLine && wordsOf(lang).offline) || wordsOf(lang)[trouble]
