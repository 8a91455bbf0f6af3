import { directionOf, langOf, wordsOf } from '../words.ts'
import { type Html, html } from './html.ts'

export interface Place {
  /** From 0; the number of steps when all are done. */
  readonly at: number
  readonly total: number
  readonly lang: string
  /** Votes wait to be sent. */
  readonly isSending?: boolean
}

interface StepperView extends Place {
  readonly title: string
  /** Read out by screen readers. */
  readonly said?: string
}

/** More would be too narrow to be told apart. */
const MOST_SEGMENTS = 24

export function sayPlace({ at, total, lang, isSending }: Place): string {
  if (at < total) return `${at + 1} / ${total}`
  return isSending ? wordsOf(lang).sending : wordsOf(lang).completed
}

/** One for each step, up to the present one. */
export const renderSegments = (total: number, at?: number): Html =>
  html`<span class="segments" aria-hidden="true">${Array.from(
    { length: Math.min(total, MOST_SEGMENTS) },
    (_, i) => html`<span class="segment${i < (at ?? 0) && ' is-done'}${i === at && ' is-here'}"></span>`,
  )}</span>`

/** The progress line above the polls of a campaign. */
export function renderStepper(view: StepperView): string {
  const { title, at, total, said = '' } = view
  const lang = langOf(view.lang)
  const place = sayPlace(view)
  const segments = total <= MOST_SEGMENTS && renderSegments(total, at)
  return html`<header class="steps${at >= total && ' is-end'}" lang="${lang}" dir="${directionOf(lang)}"><h2 class="steps-title" dir="auto" tabindex="-1">${title}</h2>${
    total > 0 &&
    html`<p class="steps-place">${segments}<progress class="steps-bar${segments && ' spoken'}" max="${total}" value="${at}" aria-label="${title}" aria-valuetext="${place}"></progress><span>${place}</span></p>`
  }<p class="spoken" role="status">${said}</p></header>`.toString()
}
