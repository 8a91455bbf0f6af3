import type { Choice } from '../../poll-view.ts'
import { isSet } from '../../theme/looks.ts'
import { langOf, type Words, wordsOf } from '../../words.ts'
import { type ServedPoll, voter } from '../service.ts'
import type { TossupElement } from '../tossup-element.ts'
import type { PollState } from '../votes/poll-model.ts'
import { tellHere } from '../votes/same-votes.ts'
import { hasVotedOn } from '../votes/voted-polls.ts'
import { fieldIn, formatInput, showField } from './code-field.ts'
import { attendKiosk } from './kiosk.ts'
import { codeOf, forgetCode, hasLinkedCode, isKiosk, rememberCode, takeLinkedCode } from './known-codes.ts'
import { readCode } from './read-code.ts'

/** The card of the poll. */
export interface Card {
  code: string | undefined
  readonly pressed: Choice | undefined
  vote(option: Choice): void
}

type Said =
  | ''
  | keyof Pick<
      Words,
      'codeMissing' | 'codeLetter' | 'codeLength' | 'codeReady' | 'codeInvalid' | 'codeUsed' | 'codeWait' | 'notSent'
    >

/** Refusals of a vote by code. Any other failure is `notSent`. */
const REFUSALS: Readonly<Record<string, Said>> = {
  CODE_REQUIRED: 'codeMissing',
  INVALID_CODE: 'codeInvalid',
  VOTE_ALREADY_CAST: 'codeUsed',
  RATE_LIMITED: 'codeWait',
}
/** After these only another code helps. */
const ASKS_AGAIN = /codeMissing|codeInvalid|codeUsed/

const kindOf = (said: Said): 'ready' | 'wrong' => (said === 'codeReady' ? 'ready' : 'wrong')

/** The gates of the cards that are shown, by their places. */
const gates = new Map<Element, Gate>()
const attended = new WeakSet<TossupElement>()

/** A poll on which only people with a code can vote. Called whenever its card is drawn. */
export function admit(card: Card, place: Element, state: PollState): void {
  if (!state.poll) return
  const element = (place.getRootNode() as ShadowRoot).host as TossupElement
  attend(element)
  const known = gates.get(place)
  const isSame = known?.card === card && known.poll.id === state.poll.id
  if (!isSame) known?.close()
  const gate = isSame ? known : new Gate(card, place, element, state.poll)
  gate.show(state)
  if (!isSame) gate.takePress()
}

/** Once an element. */
function attend(element: TossupElement): void {
  if (attended.has(element)) return
  attended.add(element)
  if (isKiosk(element)) attendKiosk(element)
  const hear = (type: 'error' | 'voted', heard: (gate: Gate, code: string) => void): void =>
    element.addEventListener(`tossup:${type}`, (event) => {
      const { poll, code } = (event as CustomEvent<{ readonly poll?: string; readonly code: string }>).detail
      for (const gate of gates.values()) if (gate.element === element && gate.isNamed(poll)) heard(gate, code)
    })
  hear('error', (gate, code) => void gate.refused(code))
  hear('voted', (gate) => gate.voted())
  // A link to the same page with another code only changes the hash.
  addEventListener('hashchange', () => {
    if (!element.isConnected || !hasLinkedCode()) return
    if (isKiosk(element)) takeLinkedCode()
    else element.restart()
  })
}

class Gate {
  readonly card: Card
  readonly element: TossupElement
  poll: ServedPoll
  readonly #place: Element
  readonly #end = new AbortController()
  #field: HTMLElement | null = null
  #said: Said = ''
  /** Which character, or how many. */
  #about = ''
  /** The code that was used is of no use. */
  #isRefused = false
  #isOver = false
  #isSending = false

  constructor(card: Card, place: Element, element: TossupElement, poll: ServedPoll) {
    this.card = card
    this.element = element
    this.poll = poll
    this.#place = place
    gates.set(place, this)
    const { signal } = this.#end
    // Before the card takes the press.
    place.addEventListener('click', this.#pressed, { signal, capture: true })
    const code = codeOf(element, poll.brand.slug)
    if (code) void this.#findVote(code)
  }

  isNamed(poll: string | undefined): boolean {
    return this.element.localName === 'tossup-poll' || this.poll.id === poll
  }

  close(): void {
    this.#end.abort()
    this.#sends(false)
    this.#field?.remove()
    gates.delete(this.#place)
  }

  show({ poll, vote }: PollState): void {
    if (!poll) return
    this.poll = poll
    // The card shows a vote before the service has it.
    this.#isOver = poll.status !== 'open' || (vote !== null && !this.#isSending)
    this.#draw()
  }

  /** An answer was pressed before this part was there. */
  takePress(): void {
    const { pressed } = this.card
    if (!pressed || this.#isOver) return
    this.card.code = this.#given
    if (this.card.code) {
      this.#sends(true)
      this.card.vote(pressed)
    } else this.#ask()
  }

  voted(): void {
    const { code } = this.card
    if (code) rememberCode(this.poll.brand.slug, code)
    this.#isRefused = false
    this.#sends(false)
    this.#isOver = true
    this.#draw()
  }

  /** The card draws the result with the press. It is for voters, and a code is no vote until the service says so. */
  #sends(isSending: boolean): void {
    this.#isSending = isSending
    this.#place.toggleAttribute('data-unsure', isSending)
  }

  async refused(code: string): Promise<void> {
    this.#sends(false)
    if (this.#isOver) return
    const said = REFUSALS[code] ?? 'notSent'
    if (ASKS_AGAIN.test(said)) {
      this.#isRefused = true
      this.#said = said
      this.#draw(this.card.code)
      // This device, and this code: the first vote is shown.
      if (said === 'codeUsed' && this.card.code && (await this.#findVote(this.card.code, true))) return
      forgetCode(this.poll.brand.slug)
      this.#input?.focus()
    } else this.#say(said)
  }

  async #findVote(code: string, isKnown = false): Promise<boolean> {
    const { id } = this.poll
    if (!isKnown && !(await hasVotedOn(id))) return false
    const own = await voter.getOwnVote(id, { code }).catch(() => null)
    if (own && !this.#end.signal.aborted) tellHere(id, own)
    return own !== null
  }

  get #given(): string | undefined {
    return this.#isRefused ? undefined : codeOf(this.element, this.poll.brand.slug)
  }

  get #input(): HTMLInputElement | null {
    return this.#field?.querySelector('input') ?? null
  }

  #say(said: Said, about = ''): void {
    this.#said = said
    this.#about = about
    this.#draw()
  }

  /** `value` is what the field begins with. */
  #draw(value = ''): void {
    const isAsked = !this.#given
    if (this.#isOver || !(isAsked || this.#said)) {
      this.#field?.remove()
      this.#field = null
      return
    }
    const isNew = !this.#input
    this.#field ??= this.#makeField()
    const article = this.#place.querySelector<HTMLElement>('.tossup')
    const lang = langOf(article?.lang)
    const words = wordsOf(lang)
    const said = this.#said || 'codeMissing'
    showField(this.#field, {
      id: `code-${this.poll.id}`,
      lang,
      scheme: article?.dataset['scheme'] ?? '',
      label: words.yourCode,
      isAsked,
      said: words[said].replace('#', () => this.#about),
      kind: this.#said ? kindOf(this.#said) : 'hint',
    })
    const input = this.#input
    if (!input || !isNew) return
    const linked = takeLinkedCode()
    input.value = value || linked
    if (linked) this.#check(true)
    if (isKiosk(this.element)) input.focus()
  }

  #makeField(): HTMLElement {
    const field = fieldIn(this.#place)
    const { signal } = this.#end
    field.addEventListener('input', (event) => !(event as InputEvent).isComposing && this.#typed(), { signal })
    field.addEventListener('change', () => this.#check(true), { signal })
    field.addEventListener(
      'submit',
      (event) => {
        event.preventDefault()
        if (this.#check(true)) this.#place.querySelector<HTMLElement>('[data-option]')?.focus()
      },
      { signal },
    )
    return field
  }

  #typed(): void {
    if (this.#input) formatInput(this.#input)
    this.#check(false)
  }

  /** Says what is wrong with the form of the code: a wrong letter at once, its length at the end. */
  #check(isEnd: boolean): string | null {
    const { code, wrong, length } = readCode(this.#input?.value ?? '')
    if (code) this.#say('codeReady')
    else if (wrong) this.#say('codeLetter', wrong)
    else if (isEnd && length > 0) this.#say('codeLength', String(length))
    else this.#say('')
    return code
  }

  #pressed = (event: Event): void => {
    const pressed = (event.target as Element).closest('[data-option], .cast')
    if (this.#isOver || !pressed) return
    // A page repeats a press that came before its script: a code that is typed then was not there for it.
    const typed = () => (event.isTrusted ? this.#check(true) : null)
    this.card.code = this.#given ?? typed() ?? undefined
    // With `confirm` a press on an option only chooses it.
    const isVote = pressed.className === 'cast' || !isSet(this.element.getAttribute('confirm'))
    if (this.card.code) this.#sends(isVote)
    else if (event.isTrusted) this.#ask()
  }

  #ask(): void {
    if (!this.#said) this.#say('codeMissing')
    this.#input?.focus()
  }
}
