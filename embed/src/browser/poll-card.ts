import type { Vote } from '../../../sdk/src/openapi.ts'
import type { Choice } from '../poll-view.ts'
import { renderInside } from '../render/render-inside.ts'
import { areResultsShown, sharesIn } from '../results.ts'
import { untilNextWords } from '../status-line.ts'
import { renderOptionsOf, themeWith } from '../theme/looks.ts'
import { votesIn, wordsOf } from '../words.ts'
import { after, withAfter } from './parts.ts'
import { patch } from './patch.ts'
import { inFrameOfItsOwn } from './result/after-frame.ts'
import { type ServedPoll, voter } from './service.ts'
import type { TossupElement } from './tossup-element.ts'
import { PollModel, type PollState } from './votes/poll-model.ts'
import { sayingOf, waiting } from './waiting.ts'

export interface Around {
  readonly element: TossupElement
  readonly isFirst: boolean
  /** The poll is loaded: its theme can be applied. */
  shown(poll: ServedPoll, state: PollState): void
  voted(poll: ServedPoll, vote: Vote): void
  failed(error: { readonly code: string }, state: PollState): void
}

/** The service may reach a time a little later than this clock: it is asked again, less and less often. */
const AGAIN_MS = 500
const MOST_AGAIN_MS = 60_000

/** One poll in its place: renders the model and takes the vote. */
export class PollCard {
  readonly #place: Element
  readonly #around: Around
  readonly #model: PollModel
  readonly #listening = new AbortController()
  #said = ''
  /** While the visitor looks at the poll, the parts of its result are laid out: then the frame of the vote is short. */
  #isPrepared = false
  #shown = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  #again = AGAIN_MS

  constructor(place: Element, reference: string, around: Around) {
    this.#place = place
    this.#around = around
    this.#model = new PollModel(reference, {
      changed: () => this.show(),
      voted: (vote) => this.#voted(vote),
      failed: (error) => around.failed(error, this.#model.state),
    })
    const { signal } = this.#listening
    place.addEventListener('click', this.#clicked, { signal })
    // A finger or a mouse is there a moment before it presses.
    place.addEventListener('pointerover', () => withAfter(() => undefined), { signal, once: true })
    for (const change of ['online', 'offline']) addEventListener(change, this.#networkChanged, { signal })
  }

  start(given: ServedPoll | null): Promise<void> {
    if (!given) this.show()
    return this.#model.start(given)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#model.stop()
    this.#listening.abort()
  }

  show(): void {
    // The place may belong to another poll by now.
    if (!this.#listening.signal.aborted) this.#around.element.draw(() => this.#draw())
  }

  #draw(): void {
    const { state } = this.#model
    const { looks } = this.#around.element
    const inside = state.poll ? this.#pollOf(state.poll, state) : waiting(looks, state.trouble)
    if (inside !== this.#shown) patch(this.#place, inside)
    this.#shown = inside
    if (!state.poll) return
    this.#around.shown(state.poll, state)
    if (!this.#isPrepared) inFrameOfItsOwn(() => this.show())
    this.#isPrepared = true
    if (state.vote) withAfter(({ lead }) => lead(this.#place, state))
    this.#watchTime(state.poll)
  }

  /** A poll opens and closes while it is shown, and its times are told in words that grow old. */
  #watchTime({ status, opensAt, closesAt }: ServedPoll): void {
    clearTimeout(this.#timer)
    const next = status === 'scheduled' ? opensAt : status === 'open' && closesAt
    if (!next) return
    const wait = untilNextWords(next, Date.now())
    this.#again = wait > 0 ? AGAIN_MS : Math.min(2 * this.#again, MOST_AGAIN_MS)
    this.#timer = setTimeout(() => (wait > 0 ? this.show() : void this.#model.refresh()), wait || this.#again)
  }

  #pollOf(poll: ServedPoll, state: PollState): string {
    const { vote, isKept } = state
    const { isFirst, element } = this.#around
    const { looks } = element
    const options = renderOptionsOf(looks)
    const notice = noticeOf(state, options.lang)
    const canRetry = isKept && navigator.onLine
    const { colorScheme } = getComputedStyle(this.#place)
    const told = {
      ...options,
      colorScheme,
      now: Date.now(),
      home: voter.url,
      isFirst,
      vote,
      isKept,
      isPrepared: this.#isPrepared,
      notice,
      canRetry,
      said: this.#said,
    }
    return renderInside(poll, themeWith(poll.brand.theme, looks), told)
  }

  #networkChanged = (): void => {
    if (navigator.onLine) this.#model.tryAgain()
    this.show()
  }

  #clicked = ({ target, isTrusted }: Event): void => {
    if (!(target instanceof Element)) return
    if (target.closest('[data-retry]')) this.#model.tryAgain()
    const option = target.closest('[data-option]')?.getAttribute('data-option')
    // A script does not vote, except on a page of ours, which repeats a tap that came too early.
    if (!option || !(isTrusted || location.origin === voter.url)) return
    const { vote } = this.#model.state
    void this.#model.vote(option as Choice)
    if (vote !== this.#model.state.vote) after?.countUp(this.#place)
  }

  /** Read out once, after the vote, and not for each new count. */
  #voted(vote: Vote): void {
    const { poll } = this.#model.state
    if (!poll) return
    const { lang } = renderOptionsOf(this.#around.element.looks)
    const { A, B } = sharesIn(lang, poll.tallies)
    const results = `${poll.optionA.label} ${A.text}, ${poll.optionB.label} ${B.text}, ${votesIn(lang, poll.tallies.total)}`
    this.#said = areResultsShown(poll, vote.option) ? results : wordsOf(lang).thanks
    this.show()
    this.#around.voted(poll, vote)
  }
}

function noticeOf({ isKept, trouble }: PollState, lang: string | undefined): string {
  if (isKept && !navigator.onLine) return wordsOf(lang).keptOffline
  if (trouble) return sayingOf(trouble, lang)
  return isKept ? wordsOf(lang).kept : ''
}
