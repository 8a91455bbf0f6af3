import type { Vote } from '../../../sdk/src/openapi.ts'
import { type Looks, renderOptionsOf, themeWith } from '../looks.ts'
import type { Choice } from '../poll-view.ts'
import { renderInside } from '../render-inside.ts'
import { areResultsShown, sharesOf } from '../results.ts'
import { votesIn, wordsOf } from '../words.ts'
import { patch } from './patch.ts'
import { PollModel, type PollState } from './poll-model.ts'
import type { ServedPoll } from './service.ts'
import { sayingOf, waiting } from './waiting.ts'

export interface Around {
  readonly isFirst: boolean
  looks(): Looks
  /** The poll is loaded: its theme can be applied. */
  shown(poll: ServedPoll): void
  voted(poll: ServedPoll, vote: Vote): void
  failed(error: { readonly code: string }): void
}

/** One poll in its place: renders the model and takes the vote. */
export class PollCard {
  readonly #place: Element
  readonly #around: Around
  readonly #model: PollModel
  #said = ''

  constructor(place: Element, reference: string, around: Around) {
    this.#place = place
    this.#around = around
    this.#model = new PollModel(reference, {
      changed: () => this.show(),
      voted: (vote) => this.#voted(vote),
      failed: around.failed,
    })
    place.addEventListener('click', this.#clicked)
    addEventListener('online', this.#networkChanged)
    addEventListener('offline', this.#networkChanged)
  }

  start(given: ServedPoll | null): Promise<void> {
    if (!given) this.show()
    return this.#model.start(given)
  }

  stop(): void {
    this.#model.stop()
    this.#place.removeEventListener('click', this.#clicked)
    removeEventListener('online', this.#networkChanged)
    removeEventListener('offline', this.#networkChanged)
  }

  show(): void {
    const { state } = this.#model
    const looks = this.#around.looks()
    const template = document.createElement('template')
    template.innerHTML = state.poll ? this.#pollOf(state.poll, state) : waiting(looks, state.trouble)
    patch(this.#place, template.content)
    if (state.poll) this.#around.shown(state.poll)
  }

  #pollOf(poll: ServedPoll, state: PollState): string {
    const { vote, isKept } = state
    const looks = this.#around.looks()
    const options = renderOptionsOf(looks)
    const notice = noticeOf(state, options.lang ?? 'en')
    const canRetry = isKept && navigator.onLine
    const { isFirst } = this.#around
    const told = { ...options, isFirst, vote, isKept, notice, canRetry, said: this.#said }
    return renderInside(poll, themeWith(poll.brand.theme, looks), told)
  }

  #networkChanged = (): void => {
    if (navigator.onLine) this.#model.tryAgain()
    this.show()
  }

  #clicked = ({ target }: Event): void => {
    if (!(target instanceof Element)) return
    if (target.closest('[data-retry]')) this.#model.tryAgain()
    const option = target.closest('[data-option]')?.getAttribute('data-option')
    if (option) void this.#model.vote(option as Choice)
  }

  /** Read out once, after the vote, and not for each new count. */
  #voted(vote: Vote): void {
    const { poll } = this.#model.state
    if (!poll) return
    const lang = renderOptionsOf(this.#around.looks()).lang ?? 'en'
    const shares = sharesOf(poll)
    const results = `${poll.optionA.label} ${shares.A}%, ${poll.optionB.label} ${shares.B}%, ${votesIn(lang, poll.tallies.total)}`
    this.#said = areResultsShown(poll, vote.option) ? results : wordsOf(lang).thanks
    this.show()
    this.#around.voted(poll, vote)
  }
}

function noticeOf({ isKept, trouble }: PollState, lang: string): string {
  if (isKept && !navigator.onLine) return wordsOf(lang).keptOffline
  if (trouble) return sayingOf(trouble, lang)
  return isKept ? wordsOf(lang).kept : ''
}
