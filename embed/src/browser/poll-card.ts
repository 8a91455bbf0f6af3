import type { Vote } from '../../../sdk/src/openapi.ts'
import type { Choice } from '../poll-view.ts'
import { renderInside } from '../render/render-inside.ts'
import { isSet, renderOptionsOf, sourceOf, themeWith } from '../theme/looks.ts'
import { wordsOf } from '../words.ts'
import { type Ask, after, type Before, type Later, load, withAfter } from './parts.ts'
import { patch } from './patch.ts'
import { inFrameOfItsOwn, whenIdle } from './result/after-frame.ts'
import { type ServedPoll, voter } from './service.ts'
import type { TossupElement } from './tossup-element.ts'
import { type CodedOrigin, PollModel, type PollState } from './votes/poll-model.ts'
import { sayingOf, waiting } from './waiting.ts'

export interface Around {
  readonly element: TossupElement
  readonly isFirst: boolean
  /** The campaign that shows the poll. */
  readonly campaign?: string
  /** The poll is loaded: its theme can be applied. */
  shown(poll: ServedPoll, state: PollState): void
  voted(poll: ServedPoll, vote: Vote): void
  failed(error: { readonly code: string }, state: PollState): void
}

/** One poll in its place: renders the model and takes the vote. */
export class PollCard {
  /** The results are shown before a vote. */
  areSeen = false
  /** The code of the person who votes, on a poll with `admission: 'code'`. */
  declare code: string | undefined
  /** The last answer that was pressed: the part for codes may come after the press. */
  declare pressed: Choice | undefined
  readonly #place: Element
  readonly #around: Around
  readonly #model: PollModel
  readonly #listening = new AbortController()
  #said = ''
  /** While the visitor looks at the poll, the parts of its result are laid out: then the frame of the vote is short. */
  #isPrepared = false
  #shown = ''

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
    // A finger, a mouse or the focus is there a moment before it presses.
    for (const near of ['pointerover', 'focusin'])
      place.addEventListener(near, () => withAfter(() => undefined), { signal, once: true })
    for (const change of ['online', 'offline']) addEventListener(change, this.#networkChanged, { signal })
  }

  start(given: ServedPoll | null): Promise<void> {
    if (!given) this.show()
    return this.#model.start(given)
  }

  stop(): void {
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
    if (!this.#isPrepared) {
      inFrameOfItsOwn(() => this.show())
      whenIdle(this.#watchView)
    }
    this.#isPrepared = true
    if (state.vote) withAfter(({ lead }) => lead(this.#place, state))
    const { resultsBeforeVote, opensAt, closesAt, admission } = state.poll
    // Without this part a poll without codes can be voted on all the same.
    if (resultsBeforeVote || opensAt || closesAt || admission === 'code')
      load<Before>('before').then(
        ({ before }) => before(this, this.#place, state),
        () => undefined,
      )
    this.#ask()
  }

  /** Where a press on an option only chooses it: the part that asks for another one. Without this part the press votes. */
  #ask(option?: Choice): unknown {
    return (
      isSet(this.#around.element.looks.confirm) &&
      load<Ask>('ask').then(
        ({ ask }) => ask(this, this.#place, this.#model.state, option),
        () => option && this.vote(option),
      )
    )
  }

  vote(option: Choice): void {
    const { vote } = this.#model.state
    this.pressed = option
    void this.#model.vote(option, this.#origin)
    if (vote !== this.#model.state.vote) after?.playResult(this.#place)
  }

  /** Where the poll is shown: sent with the vote, and with the view. */
  get #origin(): CodedOrigin {
    const { element, campaign } = this.#around
    return { source: sourceOf(element.looks), campaign, code: this.code }
  }

  /** Asks again: the poll may have opened or closed. */
  refresh(): void {
    if (!this.#listening.signal.aborted) void this.#model.refresh()
  }

  /** The part is there before a vote may have to wait: also while a new release, whose parts do not fit, replaces this one. */
  #watchView = (): void => {
    const { signal } = this.#listening
    load<Later>('later').then(
      ({ seen }) => seen(this.#place, this.#model.state.poll?.id, this.#origin, signal),
      () => undefined,
    )
  }

  #pollOf(poll: ServedPoll, state: PollState): string {
    const { vote, isKept, shown } = state
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
      shown,
      isPrepared: this.#isPrepared,
      areSeen: this.areSeen,
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
    const option = target.closest('[data-option]')?.getAttribute('data-option') as Choice | undefined
    // A script does not vote, except on a page of ours, which repeats a tap that came too early.
    if (option && (isTrusted || location.origin === voter.url) && !this.#ask(option)) this.vote(option)
  }

  /** Read out once, after the vote, and not for each new count. */
  #voted(vote: Vote): void {
    const { poll } = this.#model.state
    if (!poll) return
    withAfter(({ sayResult }) => {
      this.#said = sayResult(this.#around.element, this.#model.state)
      this.show()
    })
    this.#around.voted(poll, vote)
  }
}

function noticeOf({ isKept, trouble }: PollState, lang: string | undefined): string {
  if (isKept && !navigator.onLine) return wordsOf(lang).keptOffline
  if (trouble) return sayingOf(trouble, lang)
  return isKept ? wordsOf(lang).kept : ''
}
