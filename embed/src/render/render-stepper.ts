import { directionOf, langOf, wordsOf } from '../words.ts'
import { type Html, html } from './html.ts'

export interface Place {
  /** The present poll among those that count, from 0; their number when all are done. */
  readonly at: number
  /** The polls that count: those that this device can vote on, and those with its vote. */
  readonly total: number
  /** How many of them have its vote. */
  readonly done?: number
  readonly lang: string
  /** Votes wait to be sent. */
  readonly isSending?: boolean
  /** Replaces the number where the present poll does not count: it is closed, or not open yet. */
  readonly aside?: string
}

interface StepperView extends Place {
  readonly title: string
  /** The description of the campaign, above its first poll. */
  readonly about?: string | null | undefined
  /** Read out by screen readers. */
  readonly said?: string
  /** At the end: how often this device was with the majority, once that is known; room is kept for it before. */
  readonly majority?: string
  /** Polls that the majority leaves out. */
  readonly note?: string
}

/** More would be too narrow to be told apart. */
const MOST_SEGMENTS = 24

export function sayPlace({ at, total, lang, isSending, aside }: Place): string {
  if (aside) return aside
  if (at < total) return `${at + 1} / ${total}`
  return isSending ? wordsOf(lang).sending : wordsOf(lang).completed
}

/** One for each step. A poll that is looked at again is done and here. */
export const renderSegments = (total: number, at?: number, done = 0): Html =>
  html`<span class="segments" aria-hidden="true">${Array.from(
    { length: Math.min(total, MOST_SEGMENTS) },
    (_, i) => html`<span class="segment${i < done && ' is-done'}${i === at && ' is-here'}"></span>`,
  )}</span>`

/** The progress line above the polls of a campaign. */
export function renderStepper(view: StepperView): string {
  const { title, about, at, total, done = at, said = '', aside, majority, note } = view
  const lang = langOf(view.lang)
  const place = sayPlace(view)
  const segments = total > 0 && total <= MOST_SEGMENTS && renderSegments(total, at, done)
  const bar =
    total > 0 &&
    html`<progress class="steps-bar${segments && ' spoken'}" max="${total}" value="${done}" aria-label="${title}" aria-valuetext="${place}"></progress>`
  return html`<header class="steps${at >= total && ' is-end'}" lang="${lang}" dir="${directionOf(lang)}"><h2 class="steps-title" dir="auto" tabindex="-1">${title}</h2>${[
    at === 0 && about && html`<p class="steps-about" dir="auto">${about}</p>`,
    (total > 0 || aside) && html`<p class="steps-place">${segments}${bar}<span>${place}</span></p>`,
    majority !== undefined &&
      html`<p class="steps-majority">${majority}${note && html` <span class="steps-note">${note}</span>`}</p>`,
  ]}<p class="spoken" role="status">${said}</p></header>`.toString()
}
