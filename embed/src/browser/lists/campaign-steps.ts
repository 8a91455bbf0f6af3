import type { CampaignProgress, Vote } from '../../../../sdk/src/openapi.ts'
import type { Outcome } from '../../../../sdk/src/vote-queue.ts'
import { getCampaign, getProgress } from '../../../../sdk/src/wire/polls-together.ts'
import { leaderOf } from '../../leader-of.ts'
import { renderNothing } from '../../render/render-nothing.ts'
import { type Place, renderStepper, sayPlace } from '../../render/render-stepper.ts'
import { isSet } from '../../theme/looks.ts'
import { directionOf, wordsOf } from '../../words.ts'
import { type BrandPart, type CodePart, load } from '../parts.ts'
import { patch } from '../patch.ts'
import type { Around, PollCard } from '../poll-card.ts'
import { appendDiv } from '../result/append-div.ts'
import { isStill } from '../result/still.ts'
import { codeOf, isMissing, type ServedCampaign, type ServedPoll, voter } from '../service.ts'
import type { TossupElement } from '../tossup-element.ts'
import { findKept, hearOf } from '../votes/kept-votes.ts'
import type { PollState } from '../votes/poll-model.ts'
import { hasVotedOn } from '../votes/voted-polls.ts'
import { waiting } from '../waiting.ts'
import { cardIn, Ways } from './list-parts.ts'
import type { List } from './tossup-lists.ts'

/** How long the result of a step is shown before the next step follows by itself: its announcement takes three seconds. */
const LOOK_MS = 4_000
/** A live region must exist before its text changes, or it is not read out. */
const SAY_MS = 100
/** The end is read out once, with the majority, for which earlier votes are asked for. */
const SAY_END_MS = 600

const KEYED = ['keydown', 'click']

/**
 * Shows the polls of a campaign one after another, then all results. It begins at the first open poll without a vote of this
 * device, and "Next" leads to the next one, or to the end where none is left: polls that are not open neither count nor hold up
 * a campaign. "Back" leads to every poll before, of any status.
 */
export class CampaignSteps implements List {
  readonly #element: TossupElement
  readonly #ways: Ways
  #campaign: ServedCampaign | null = null
  #at = 0
  /** The furthest step so far: before it, "Next" leads through the polls that were passed. */
  #front = 0
  /** Someone who uses keys, or a screen reader, goes on by a press alone. */
  #hasKeys = false
  #said = ''
  /** One card, and at the end all of them. */
  #cards: PollCard[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The polls whose votes are counted, and those whose votes wait to be sent. */
  readonly #voted = new Set<string>()
  readonly #pending = new Map<string, () => void>()
  readonly #told = new Set<string>()
  #telling: Promise<unknown> = Promise.resolve()
  /** The polls that take no vote: closed, scheduled or gone. */
  readonly #over = new Set<string>()
  /** The polls as their cards have shown them last. */
  readonly #seen = new Map<string, PollState>()
  #isCompleted = false
  /** The code of the person who votes, where the polls ask for one. */
  #code: CodePart['codeOf'] | null = null
  #withdrawEnd: (() => void) | null = null

  constructor(element: TossupElement) {
    this.#element = element
    this.#ways = new Ways(element)
  }

  begin(reference: string, given: unknown): void {
    if (!given) patch(this.#element.inside, waiting(this.#element.looks, null))
    for (const type of KEYED) addEventListener(type, this.#keyed, true)
    void this.#load(reference, given as ServedCampaign | null)
  }

  end(): void {
    for (const type of KEYED) removeEventListener(type, this.#keyed, true)
    this.#leaveStep()
    this.#campaign = null
    this.#front = 0
    this.#isCompleted = this.#hasKeys = false
    // The next campaign does not wait for answers about this one.
    this.#telling = Promise.resolve()
    for (const unhear of this.#pending.values()) unhear()
    for (const known of [this.#pending, this.#voted, this.#told, this.#over, this.#seen]) known.clear()
  }

  show(): void {
    this.#showPlace()
    for (const card of this.#cards) card.show()
    this.#ways.reword()
  }

  async #load(reference: string, given: ServedCampaign | null): Promise<void> {
    const element = this.#element
    const { run } = element
    try {
      const campaign = given ?? ((await getCampaign(voter, reference)) as ServedCampaign)
      if (campaign.polsts.some(({ admission }) => admission === 'code'))
        this.#code = (await load<CodePart>('code')).codeOf
      const progress = await this.#progressOf(campaign)
      const kept = await Promise.all(campaign.polsts.map(({ id }) => findKept(id)))
      if (run !== element.run) return
      this.#campaign = campaign
      // Before anything else is waited for: the votes are on their way from now on.
      for (const { id } of campaign.polsts.filter((_, i) => kept[i])) this.#await(id)
      for (const { id } of campaign.polsts.filter(({ status }) => status !== 'open')) this.#over.add(id)
      const votes = await votesOn(campaign, progress, this.#code !== null)
      await element.dress(campaign.brand.theme)
      if (run !== element.run) return
      for (const { id } of campaign.polsts.filter((_, i) => votes[i])) this.#voted.add(id)
      this.#isCompleted ||= this.#isFinished()
      this.#enter(this.#firstLeft())
      element.tell('ready', { campaign: campaign.campaignId })
    } catch (error) {
      if (run !== element.run) return
      element.fail(isMissing(error) ? 'missing' : 'unreachable', codeOf(error))
    }
  }

  /** The first poll from here on that this visitor can still vote on; the number of polls if there is none. */
  #firstLeft(from = 0): number {
    const { polsts = [] } = this.#campaign ?? {}
    const left = polsts.findIndex(({ id }, i) => i >= from && !this.#hasVote(id) && !this.#over.has(id))
    return left < 0 ? polsts.length : left
  }

  #hasVote = (poll: string): boolean => this.#voted.has(poll) || this.#pending.has(poll)

  #isFinished(): boolean {
    const { polsts } = this.#campaign ?? { polsts: [] }
    return this.#firstLeft() === polsts.length && this.#pending.size === 0
  }

  #enter(at: number, isByItself = false): void {
    const { inside, root, language } = this.#element
    const { polsts = [] } = this.#campaign ?? {}
    const focused = root.activeElement
    const isFollowing = this.#cards.length > 0
    const isBack = at < this.#at
    this.#leaveStep()
    this.#at = at
    this.#front = Math.max(this.#front, at)
    // The server renders the first step: adopt it where it is the step to show.
    if (!inside.querySelector('.stepper')) patch(inside, '<div class="stepper"></div><div class="card"></div>')
    this.#showPlace()
    const poll = polsts[at]
    if (poll) this.#cards = [this.#cardOf(poll, 0, !isFollowing)]
    else if (polsts.length > 0) this.#end(polsts)
    else patch(this.#placeAt(0), renderNothing(language))
    this.#offerBack(poll !== undefined && at > 0)
    if (isFollowing) slideIn(this.#placeAt(0), isBack ? -1 : 1, language)
    this.#moveFocus(focused, isByItself)
    if (poll ? isFollowing || at > 0 : polsts.length > 0) this.#say(poll)
  }

  /** Never to an answer of the next poll, where one more press would vote. "Back" keeps the focus for the next press. */
  #moveFocus(from: Element | null, isByItself: boolean): void {
    if (!from || (from.isConnected && from.closest('.ways'))) return
    this.#element.inside.querySelector<HTMLElement>('.steps-title')?.focus({ preventScroll: isByItself })
  }

  #end(polsts: readonly ServedPoll[]): void {
    const { inside } = this.#element
    this.#cards = polsts.map((each, i) => this.#cardOf(each, i, false))
    this.#showPlace()
    if (isSet(this.#element.getAttribute('hideafter'))) return
    // Room at once: the part that fills it may have to be loaded.
    const place = appendDiv(inside, 'farewell')
    inside.querySelector('.stepper')?.after(place)
    let isOver = false
    this.#withdrawEnd = () => {
      isOver = true
      place.remove()
    }
    load<BrandPart>('brand').then(
      ({ farewell }) => {
        if (this.#campaign && !isOver) this.#withdrawEnd = farewell(this.#element, place, this.#campaign)
      },
      () => undefined,
    )
  }

  #cardOf(poll: ServedPoll, place: number, isServed: boolean): PollCard {
    const isStep = this.#campaign?.polsts[this.#at] !== undefined
    const around: Partial<Around> = {
      isFirst: this.#element.isServed && isServed,
      ...(this.#campaign && { campaign: this.#campaign.campaignId }),
      shown: ({ status }, state) => {
        this.#seen.set(poll.id, state)
        if (status === 'open') this.#over.delete(poll.id)
        else this.#over.add(poll.id)
        // A code that the service has not taken yet may have to be entered again.
        const hasVote = state.vote !== null && !this.#placeAt(place).hasAttribute('data-unsure')
        // An earlier vote, or a poll that takes none, must not be a dead end.
        if (isStep && (status !== 'open' || hasVote)) this.#offerNext()
        this.#showPlace()
      },
      voted: (_, vote) => {
        void this.#counted(poll.id, vote)
        if (!isStep) return
        this.#offerNext()
        this.#advance()
      },
      failed: ({ code }, { isKept }) => {
        this.#element.tell('error', { poll: poll.id, code })
        if (code === 'NOT_FOUND') this.#over.add(poll.id)
        if (code === 'VOTE_ALREADY_CAST') this.#voted.add(poll.id)
        if (isKept) this.#await(poll.id)
        // The campaign can continue after any failure.
        if (isStep) this.#offerNext()
        if (isStep && isKept) this.#advance()
      },
    }
    return cardIn(this.#element, poll, { ...around, place: this.#placeAt(place) })
  }

  #placeAt(index: number): Element {
    const { inside } = this.#element
    return inside.querySelectorAll('.card')[index] ?? appendDiv(inside, 'card')
  }

  #leaveStep(): void {
    clearTimeout(this.#timer)
    for (const card of this.#cards) card.stop()
    this.#cards = []
    this.#said = ''
    this.#ways.withdraw('next')
    this.#withdrawEnd?.()
    this.#withdrawEnd = null
  }

  #advance(): void {
    clearTimeout(this.#timer)
    if (this.#hasKeys || isStill(this.#element.inside) || !isSet(this.#element.getAttribute('autoadvance') ?? 'true'))
      return
    this.#timer = setTimeout(() => this.#enter(this.#following, true), LOOK_MS)
    this.#offerNext()
    this.#ways.time('next', true)
  }

  /** A press without a pointer comes from a key or from a screen reader. */
  #keyed = (event: Event): void => {
    const isPress = event.type === 'click'
    // Everybody types a code.
    if (event.composedPath()[0] instanceof HTMLInputElement) return
    if (isPress && !(event.isTrusted && (event as PointerEvent).pointerType === '')) return
    this.#hasKeys = true
    clearTimeout(this.#timer)
    this.#ways.time('next', false)
  }

  get #following(): number {
    return this.#at < this.#front ? this.#at + 1 : this.#firstLeft(this.#at + 1)
  }

  /** A vote that waits is sent as the limit allows, also after its step is left. */
  #await(poll: string): void {
    if (this.#pending.has(poll)) return
    this.#pending.set(
      poll,
      hearOf(poll, (outcome) => void this.#heard(poll, outcome)),
    )
    this.#showPlace()
  }

  async #heard(poll: string, outcome: Outcome | null): Promise<void> {
    this.#pending.delete(poll)
    if (outcome?.kind === 'refused') this.#over.add(poll)
    if (outcome?.kind === 'delivered') await this.#counted(poll, outcome.vote.tallies ? outcome.vote : null)
    else if (outcome === null) await this.#counted(poll, null)
    else this.#showPlace()
  }

  async #counted(poll: string, vote: object | Vote | null): Promise<void> {
    const element = this.#element
    const { run } = element
    // A card that is shown tells of its vote too.
    if (!this.#campaign || this.#told.has(poll)) return
    this.#told.add(poll)
    this.#voted.add(poll)
    this.#pending.delete(poll)
    this.#showPlace()
    if (vote) element.tell('voted', { poll, ...vote })
    const asked = this.#progressOf(this.#campaign).catch(() => null)
    // In the order of the votes: the answer about an earlier step may come after that about the last one.
    const telling: Promise<void> = this.#telling.then(async () => {
      const progress = await asked
      if (progress && run === element.run) this.#tellOf(progress, telling === this.#telling)
    })
    this.#telling = telling
    await telling
  }

  #tellOf({ completedSteps, totalSteps, completed }: CampaignProgress, isLast: boolean): void {
    const element = this.#element
    const campaign = this.#campaign?.campaignId
    element.tell('step', { campaign, completedSteps, totalSteps })
    // The end comes after the steps of all votes.
    if (this.#isCompleted || !isLast || !(completed || this.#isFinished())) return
    this.#isCompleted = true
    element.tell('completed', { campaign, totalSteps })
  }

  #progressOf({ campaignId, brand }: ServedCampaign): Promise<CampaignProgress | null> {
    return getProgress(voter, campaignId, { code: this.#code?.(this.#element, brand.slug) })
  }

  #offerBack(isPossible: boolean): void {
    if (isPossible) this.#ways.offer('back', () => this.#enter(this.#at - 1))
    else this.#ways.withdraw('back')
  }

  #offerNext(): void {
    this.#ways.offer('next', () => this.#enter(this.#following))
  }

  #say(poll: ServedPoll | undefined): void {
    const element = this.#element
    const { run } = element
    const at = this.#at
    const say = () => {
      if (run !== element.run || at !== this.#at || !this.#campaign) return
      const place = sayPlace(this.#place)
      this.#said = poll ? `${place}: ${poll.title}` : [place, this.#majority?.majority].filter(Boolean).join(' ')
      this.#showPlace()
    }
    setTimeout(say, poll ? SAY_MS : SAY_END_MS)
  }

  get #place(): Place {
    const { polsts = [] } = this.#campaign ?? {}
    const { language: lang } = this.#element
    const { closed, notOpenYet } = wordsOf(lang)
    const counting = polsts.filter(({ id }) => this.#hasVote(id) || !this.#over.has(id))
    const present = polsts[this.#at]
    const [total, done] = [counting.length, counting.filter(({ id }) => this.#hasVote(id)).length]
    const at = present ? counting.indexOf(present) : total
    const isAside = polsts.length > 0 && (at < 0 || total === 0)
    const statuses = (present ? [present] : polsts).map((each) => (this.#seen.get(each.id)?.poll ?? each).status)
    const aside = isAside && { aside: statuses.includes('scheduled') ? notOpenYet : closed }
    return { at, total, done, lang, isSending: this.#pending.size > 0, ...aside }
  }

  /**
   * How often this device chose what most chose, as the results stand. Only results that it can see count: neither a tie, nor a
   * poll on which nobody else has voted. Of one poll it says nothing that its result does not say.
   */
  get #majority(): { majority: string; note: string } | null {
    const { polsts = [] } = this.#campaign ?? {}
    if (polsts[this.#at] || this.#voted.size < 2) return null
    const votes = polsts.flatMap(({ id }) => {
      const { poll, vote, isKept } = this.#seen.get(id) ?? {}
      return poll && vote && !isKept ? [{ poll, vote }] : []
    })
    const decided = votes.filter(({ poll }) => !poll.tallies.hidden && poll.tallies.total > 1 && leaderOf(poll))
    if (decided.length < 2) return { majority: '', note: '' }
    const { majority, notCounted } = wordsOf(this.#element.language)
    const often = decided.filter(({ poll, vote }) => vote === leaderOf(poll)).length
    return {
      majority: majority.replace('##', String(decided.length)).replace('#', String(often)),
      note: votes.length > decided.length ? notCounted : '',
    }
  }

  #showPlace(): void {
    const place = this.#element.inside.querySelector('.stepper')
    if (!place || !this.#campaign) return
    const { title, description: about } = this.#campaign
    patch(place, renderStepper({ ...this.#place, ...this.#majority, title, about, said: this.#said }))
  }
}

/** The service knows the votes before its `currentPoll`, and this device most of the others, but not whose they are by code. */
async function votesOn(
  { polsts }: ServedCampaign,
  progress: CampaignProgress | null,
  isByCode: boolean,
): Promise<boolean[]> {
  if (!progress) return polsts.map(() => false)
  const current = polsts.findIndex(({ id }) => id === progress.currentPoll?.id)
  return Promise.all(
    polsts.map(
      async ({ id }, i) => progress.completed || i < current || (!isByCode && i !== current && (await hasVotedOn(id))),
    ),
  )
}

function slideIn(place: Element, way: 1 | -1, language: string): void {
  if (isStill(place)) return
  const side = directionOf(language) === 'rtl' ? -way : way
  const timing = { duration: 280, easing: 'cubic-bezier(.2, .8, .2, 1)' }
  const slide = place.animate([{ translate: `${side * 3}rem 0` }, { translate: '0 0' }], timing)
  // The integrity layer, which is stronger than an animation, lets this card move meanwhile.
  place.toggleAttribute('data-slides', true)
  slide.onfinish = slide.oncancel = () => place.removeAttribute('data-slides')
  // The page must not become wider while the step comes from its side.
  place.parentElement?.animate([{ overflowX: 'clip' }, { overflowX: 'clip' }], timing)
}
