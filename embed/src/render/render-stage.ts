import { leaderOf } from '../leader-of.ts'
import type { Choice, PollView } from '../poll-view.ts'
import { sharesIn } from '../results.ts'
import { statusLine } from '../status-line.ts'
import { wordsOf } from '../words.ts'
import { type Html, html } from './html.ts'
import { picture } from './picture.ts'

/** A poll on a stage. It is public: it shows what every visitor may see. */
export interface StagePoll extends PollView {
  readonly slug: string
}

export interface StageView {
  readonly lang: string
  /** The words beside the QR code. */
  readonly scan: string
  /** The brand, or nothing. */
  readonly brand: string
  /** The position of the poll, from 0, among all of them. */
  readonly at: number
  readonly total: number
  /** Who presents keeps the results back until later. */
  readonly isConcealed: boolean
  /** The origin of the service. */
  readonly home: string
  /** The path of the page of the campaign, to which the code leads: who scans it once, votes on each poll within the campaign. Null for a poll alone. */
  readonly campaign: string | null
  readonly now?: number
}

/** Longer labels have smaller letters. */
const LONG = 28

/** Whether there are results that the presenter can show or hide. */
export const hasResults = ({ tallies }: PollView): boolean => !tallies.hidden && tallies.total > 0

/** One poll in large type, with the code that leads to it. */
export function renderStage(poll: StagePoll, view: StageView): string {
  const { lang, brand, at, total, isConcealed } = view
  const areShown = hasResults(poll) && !isConcealed
  const sizes = '(orientation: portrait) 100vw, 50vw'
  const frames = (['A', 'B'] as const).map((choice) => {
    const slot = choice === 'A' ? 'optionA' : 'optionB'
    const { imageUrl: url, imageAlt: alt } = poll[slot]
    return picture(poll, { url, alt, slot, isFirst: true, place: poll[slot], sizes })
  })
  const sides = frames.map((frame, i) => sideOf(poll, i === 0 ? 'A' : 'B', { frame, areShown, lang }))
  // Without the sides, the number of votes does not say that there is a tie.
  const { tallies } = poll
  const counted =
    areShown || tallies.hidden ? poll : { ...poll, tallies: { ...tallies, optionA: tallies.total, optionB: 0 } }
  return html`<header class="top">${brand !== '' && html`<p class="brand" dir="auto">${brand}</p>`}${
    total > 1 && html`<p class="place">${at + 1} / ${total}</p>`
  }</header><h1 class="title" dir="auto" aria-live="polite">${poll.title}</h1><ol class="sides${frames.some(Boolean) && ' has-pictures'}">${sides}</ol><div class="below">${statusLine(counted, view, lang)}</div>${
    poll.status !== 'closed' && codeOf(poll, view)
  }`.toString()
}

interface Side {
  readonly frame: Html | null
  readonly areShown: boolean
  readonly lang: string
}

function sideOf(poll: StagePoll, choice: Choice, { frame, areShown, lang }: Side): Html {
  const { label } = choice === 'A' ? poll.optionA : poll.optionB
  const isLeader = areShown && leaderOf(poll) === choice
  const { text, length } = areShown ? sharesIn(lang, poll.tallies)[choice] : { text: '', length: 0 }
  // Drawn by an attribute: the policy of the page forbids styles of single elements.
  const bar = html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${length}" height="1"/></svg>`
  const winner = isLeader && poll.status === 'closed' && html`<span class="winner">${wordsOf(lang).winner}</span>`
  return html`<li class="side${[isLeader && ' is-leader', label.length > LONG && ' is-long']}">${frame}<div class="band">${bar}<span class="label" dir="auto">${label}</span>${winner}<span class="share">${text}</span></div></li>`
}

/** Beside the code is the address of the poll's page, which can be typed. */
function codeOf({ slug }: StagePoll, { home, lang, scan, campaign }: StageView): Html {
  const address = `${home}/p/${slug}`
  const path = campaign ?? `/p/${slug}`
  return html`<aside class="vote"><img class="code" src="${path}/qr.svg?size=1024" width="320" height="320" alt="${wordsOf(lang).qrCode}: ${home}${path}"><p class="scan">${scan}</p><p class="to" dir="ltr">${address.replace(/^https?:\/\//, '')}</p></aside>`
}
