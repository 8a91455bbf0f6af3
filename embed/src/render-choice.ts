import { type Html, html } from './html.ts'
import { picture } from './picture.ts'
import type { Choice, PollView, RenderOptions } from './poll-view.ts'
import { areResultsShown, sharesOf } from './results.ts'

const SLOTS = { A: 'optionA', B: 'optionB' } as const

/** A real button, named by its label. It stays focusable when no vote is accepted. */
export function renderChoice(
  poll: PollView,
  choice: Choice,
  { vote = null, isKept = false, isFirst = false }: RenderOptions,
): Html {
  const slot = SLOTS[choice]
  const { label, imageUrl, imageAlt } = poll[slot]
  const image = picture(poll, { url: imageUrl, alt: imageAlt, slot, isFirst })
  const isAsked = poll.status === 'open' && vote === null
  const classes = `option option-${choice.toLowerCase()}${image ? ' has-picture' : ''}`
  const isPressed = vote !== null && html` aria-pressed="${String(vote === choice)}"`
  return html`<div class="choice"><button class="${classes}" type="button" data-option="${choice}"${[
    isPressed,
    !isAsked && html` aria-disabled="true"`,
  ]}>${[
    image,
    html`<span class="label"><span class="words" dir="auto">${label}</span></span>`,
    result(
      areResultsShown(poll, isKept ? null : vote) && shareOf(sharesOf(poll)[choice]),
      vote !== null && markOf(vote === choice),
    ),
    html`<span class="ring"></span>`,
  ]}</button></div>`
}

const result = (share: Html | false, mark: Html | false): Html | false =>
  (share || mark) && html`<span class="result">${share}${mark}</span>`

/** A bar drawn by SVG attributes: strict policies forbid inline styles. */
const shareOf = (share: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><line class="fill" x2="${share}" y1=".5" y2=".5"/></svg><span class="share"><span class="figure">${share}%</span></span>`

/** Both options reserve the mark's space, so that the two bars have the same full length. */
const markOf = (isChosen: boolean): Html =>
  html`<svg class="mark${!isChosen && ' unmarked'}" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5 6.5 12 13 4.5"/></svg>`
