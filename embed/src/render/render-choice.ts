import { leaderOf } from '../leader-of.ts'
import type { Choice, PollView, RenderOptions } from '../poll-view.ts'
import { areResultsShown, sharesIn } from '../results.ts'
import { wordsOf } from '../words.ts'
import { type Html, html } from './html.ts'
import { picture } from './picture.ts'

export const SLOTS = { A: 'optionA', B: 'optionB' } as const
/** Without `Intl`, whose first percentage takes a phone as long as ten polls. */
const UNSEEN = { text: '0%', length: 0 }

/** A real button, named by its label. It stays focusable when no vote is accepted. */
export function renderChoice(
  poll: PollView,
  choice: Choice,
  { vote = null, isKept = false, areSeen = false, isPrepared = false, isFirst = false, lang = 'en' }: RenderOptions,
): Html {
  const slot = SLOTS[choice]
  const option = poll[slot]
  const image = picture(poll, { url: option.imageUrl, alt: option.imageAlt, slot, isFirst, place: option })
  const isAsked = poll.status === 'open' && vote === null
  const areShown = areResultsShown(poll, isKept ? null : vote, areSeen)
  const isUnseen = isPrepared && isAsked && !areSeen && !poll.tallies.hidden
  const isLeader = areShown && leaderOf(poll) === choice
  const isPressed = vote !== null && html` aria-pressed="${String(vote === choice)}"`
  // Empty before the vote: neither a stylesheet nor a reader of the page can learn the result from it.
  const share = areShown ? sharesIn(lang, poll.tallies)[choice] : UNSEEN
  const [bar, figure] = areShown || isUnseen ? [barOf(share.length), shareOf(share.text)] : []
  const names = [kindOf(option.label, image), isLeader && ' is-leader', isUnseen && ' is-prepared']
  const parts = [
    html`<span class="result">${figure}</span>`,
    (vote === choice || isUnseen) && mark,
    winnerOf(poll, isLeader, lang),
  ]
  // The parts lie on the picture, or beside the label.
  return html`<div class="choice"><button class="option option-${choice.toLowerCase()}${names}" type="button" data-option="${choice}"${[
    isPressed,
    !isAsked && html` aria-disabled="true"`,
  ]}>${image}<span class="band"><span class="label"><span class="words" dir="auto">${option.label}</span></span>${!image && parts}${bar}</span>${image && parts}<span class="ring"></span></button></div>`
}

/** One to three emoji, each a picture with its marks and all that is joined to it, or the two letters of a flag. */
const EMOJI = /^((\p{RI}{2}|\p{ExtPict}(\u200d\p{ExtPict}|[\p{M}\p{EMod}\p{Cf}])*) ?){1,3}$/u
/** Longer labels have smaller letters, and two short ones have their numbers beside them. */
const LONG = 28
const SHORT = 10

function kindOf(label: string, image: Html | null): string | false {
  if (image) return ' has-picture'
  if (EMOJI.test(label)) return ' is-emoji'
  return label.length > LONG ? ' is-long' : label.length <= SHORT && ' is-short'
}

const winnerOf = ({ status }: PollView, isLeader: boolean, lang: string): Html | false =>
  isLeader && status === 'closed' && html`<span class="winner">${wordsOf(lang).winner}</span>`

/** Drawn by SVG attributes, which no stylesheet reaches. A stylesheet of ours mirrors it where the language is read from the right. */
const barOf = (length: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><line class="fill" x2="${length}" y1=".5" y2=".5"/></svg>`

const shareOf = (share: string): Html =>
  html`<span class="share${/\W\d/.test(share) && ' is-fine'}"><span class="figure">${share}</span></span>`

const mark = html`<svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5 6.5 12 13 4.5"/></svg>`
