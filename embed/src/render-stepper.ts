import { html } from './html.ts'
import { directionOf, langOf, wordsOf } from './words.ts'

export interface StepperView {
  readonly title: string
  /** From 0; the number of steps when all are done. */
  readonly at: number
  readonly total: number
  readonly lang: string
  /** Read out by screen readers. */
  readonly said?: string
}

export const placeOf = ({ at, total, lang }: Omit<StepperView, 'title'>): string =>
  at >= total ? wordsOf(lang).completed : `${at + 1} / ${total}`

/** The progress line above the polls of a campaign. */
export function renderStepper(view: StepperView): string {
  const { title, at, total, said = '' } = view
  const lang = langOf(view.lang)
  const place = placeOf(view)
  return html`<header class="steps" lang="${lang}" dir="${directionOf(lang)}"><h2 class="steps-title" dir="auto" tabindex="-1">${title}</h2>${
    total > 0 &&
    html`<p class="steps-place"><progress class="steps-bar" max="${total}" value="${at}" aria-label="${title}" aria-valuetext="${place}"></progress><span>${place}</span></p>`
  }<p class="spoken" role="status">${said}</p></header>`.toString()
}
