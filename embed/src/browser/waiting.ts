import { html } from '../render/html.ts'
import { retryButton } from '../render/render-inside.ts'
import { type Looks, renderOptionsOf } from '../theme/looks.ts'
import { directionOf, langOf, type Trouble, wordsOf } from '../words.ts'

/** A placeholder of a poll's size, or the reason why there is no poll. */
export function waiting(looks: Looks, trouble: Trouble | null): string {
  const lang = langOf(renderOptionsOf(looks).lang)
  const inside = trouble
    ? html`<p class="notice" role="alert">${sayingOf(trouble, lang)}${trouble === 'unreachable' && retryButton(lang)}</p>`
    : html`<span class="spoken">${wordsOf(lang).loading}</span>`
  return html`<div class="waiting" lang="${lang}" dir="${directionOf(lang)}">${inside}</div>`.toString()
}

/** Offline failures are not reported as errors of the service. */
export const sayingOf = (trouble: Trouble, lang: string | undefined): string =>
  (trouble === 'unreachable' && !navigator.onLine && wordsOf(lang).offline) || wordsOf(lang)[trouble]
