import type { Choice, PollView, RenderOptions } from '../poll-view.ts'
import { areResultsShown, leaderOf, sharesIn } from '../results.ts'
import { directionOf, wordsOf } from '../words.ts'
import { type Html, html } from './html.ts'
import { picture } from './picture.ts'

export const SLOTS = { A: 'optionA', B: 'optionB' } as const
/** Without `Intl`, whose first percentage takes a phone as long as ten polls. */
const UNSEEN = { text: '0%', length: 0 }

/** A real button, named by its label. It stays focusable when no vote is accepted. */
export function renderChoice(
  poll: PollView,
  choice: Choice,
  { vote = null, isKept = false, isPrepared = false, isFirst = false, lang = 'en' }: RenderOptions,
): Html {
  const slot = SLOTS[choice]
  const { label, imageUrl, imageAlt } = poll[slot]
  const image = picture(poll, { url: imageUrl, alt: imageAlt, slot, isFirst })
  const isAsked = poll.status === 'open' && vote === null
  const areShown = areResultsShown(poll, isKept ? null : vote)
  const isUnseen = isPrepared && isAsked && !poll.tallies.hidden
  const isLeader = areShown && leaderOf(poll) === choice
  const isPressed = vote !== null && html` aria-pressed="${String(vote === choice)}"`
  // Empty before the vote: neither a stylesheet nor a reader of the page can learn the result from it.
  const share = areShown ? sharesIn(lang, poll.tallies)[choice] : UNSEEN
  const result = areShown || isUnseen ? { bar: barOf(share.length, lang), share: shareOf(share.text) } : null
  return html`<div class="choice"><button class="option option-${choice.toLowerCase()}${namesOf(image, isLeader, isUnseen)}" type="button" data-option="${choice}"${[
    isPressed,
    !isAsked && html` aria-disabled="true"`,
  ]}>${[
    image,
    html`<span class="band"><span class="label"><span class="words" dir="auto">${label}</span></span>${result?.bar}</span>`,
    html`<span class="result">${result?.share}</span>`,
    html`<span class="ring"></span>`,
    (vote === choice || isUnseen) && mark,
    isLeader && poll.status === 'closed' && html`<span class="winner">${wordsOf(lang).winner}</span>`,
  ]}</button></div>`
}

const namesOf = (image: Html | null, isLeader: boolean, isUnseen: boolean): Html =>
  html`${image && ' has-picture'}${isLeader && ' is-leader'}${isUnseen && ' is-prepared'}`

/** Drawn by SVG attributes, which no stylesheet reaches, from the side at which the language begins. */
function barOf(length: number, lang: string): Html {
  const ends = directionOf(lang) === 'rtl' ? html`x1="100" x2="${100 - length}"` : html`x2="${length}"`
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><line class="fill" ${ends} y1=".5" y2=".5"/></svg>`
}

const shareOf = (share: string): Html => html`<span class="share"><span class="figure">${share}</span></span>`

const mark = html`<svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5 6.5 12 13 4.5"/></svg>`
