import { html } from './html.ts'
import { directionOf, langOf, wordsOf } from './words.ts'

export interface StepperView {
  readonly title: string
  /** From 0; the number of all when every one has been passed. */
  readonly at: number
  readonly total: number
  readonly lang: string
}

/** What stands above the polls of a campaign: where in it one is. */
export function renderStepper({ title, at, total, lang }: StepperView): string {
  const known = langOf(lang)
  const isOver = at >= total
  const place = `${Math.min(at + 1, total)} / ${total}`
  return html`<header class="steps" lang="${known}" dir="${directionOf(known)}"><h2 class="steps-title" dir="auto">${title}</h2>${
    isOver
      ? html`<p class="steps-end" role="status">${wordsOf(known).completed}</p>`
      : html`<p class="steps-place"><progress class="steps-bar" max="${total}" value="${at}" aria-label="${place}"></progress><span>${place}</span></p>`
  }</header>`.toString()
}
