import type { CampaignProgress, Vote } from '../../../../sdk/src/openapi.ts'
import type { Outcome } from '../../../../sdk/src/vote-queue.ts'
import { renderNothing } from '../../render/render-nothing.ts'
import { renderStepper, sayPlace } from '../../render/render-stepper.ts'
import { isSet } from '../../theme/looks.ts'
import { directionOf } from '../../words.ts'
import { patch } from '../patch.ts'
import type { Around, PollCard } from '../poll-card.ts'
import { appendDiv } from '../result/append-div.ts'
import { Farewell } from '../result/farewell.ts'
import { isStill } from '../result/still.ts'
import { codeOf, isMissing, type ServedCampaign, type ServedPoll, voter } from '../service.ts'
import type { TossupElement } from '../tossup-element.ts'
import { findKept, hearOf } from '../votes/kept-votes.ts'
import { hasVotedOn } from '../votes/voted-polls.ts'
import { waiting } from '../waiting.ts'
import { cardIn, WayOn } from './list-parts.ts'
import type { List } from './tossup-lists.ts'

/** How long the result of a step is shown before the next step follows. */
const LOOK_MS = 1_800
/** A live region must exist before its text changes, or it is not read out. */
const SAY_MS = 100

/**
 * Shows the polls of a campaign one after another, then all results. A returning visitor continues at the first open poll
 * without a vote, or at the end where none is left: polls that are not open can neither hold up a campaign nor reopen it.
 */
export class CampaignSteps implements List {
  readonly #element: TossupElement
  readonly #next: WayOn
  #campaign: ServedCampaign | null = null
  #at = 0
  #said = ''
  /** One card, and at the end all of them. */
  #cards: PollCard[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The polls whose votes are counted, and those whose votes wait to be sent. */
  readonly #voted = new Set<string>()
  readonly #pending = new Map<string, () => void>()
  readonly #told = new Set<string>()
  /** The polls that take no vote: closed, scheduled or gone. */
  readonly #over = new Set<string>()
  #isCompleted = false
  #farewell: Farewell | null = null

  constructor(element: TossupElement) {
    this.#element = element
    this.#next = new WayOn(element, 'next')
  }

  begin(reference: string, given: unknown): void {
    if (!given) patch(this.#element.inside, waiting(this.#element.looks, null))
    void this.#load(reference, given as ServedCampaign | null)
  }

  end(): void {
    this.#leaveStep()
    this.#campaign = null
    for (const unhear of this.#pending.values()) unhear()
    for (const known of [this.#pending, this.#voted, this.#told, this.#over]) known.clear()
  }

  show(): void {
    this.#showPlace()
    for (const card of this.#cards) card.show()
    this.#next.reword()
  }

  async #load(reference: string, given: ServedCampaign | null): Promise<void> {
    const element = this.#element
    const { run } = element
    try {
      const campaign = given ?? ((await voter.getCampaign(reference)) as ServedCampaign)
      const progress = await voter.getProgress(campaign.campaignId)
      const kept = await Promise.all(campaign.polsts.map(({ id }) => findKept(id)))
      if (run !== element.run) return
      this.#campaign = campaign
      // Before anything else is waited for: the votes are on their way from now on.
      for (const { id } of campaign.polsts.filter((_, i) => kept[i])) this.#await(id)
      for (const { id } of campaign.polsts.filter(({ status }) => status !== 'open')) this.#over.add(id)
      const votes = await votesOn(campaign, progress)
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

  /** The first poll that this visitor can still vote on; the number of polls if there is none. */
  #firstLeft(): number {
    const { polsts = [] } = this.#campaign ?? {}
    const left = polsts.findIndex(({ id }) => !this.#voted.has(id) && !this.#pending.has(id) && !this.#over.has(id))
    return left < 0 ? polsts.length : left
  }

  #isFinished(): boolean {
    const { polsts } = this.#campaign ?? { polsts: [] }
    return this.#firstLeft() === polsts.length && this.#pending.size === 0
  }

  #enter(at: number): void {
    const { inside, root, language } = this.#element
    const { polsts = [] } = this.#campaign ?? {}
    const focused = root.activeElement
    const isFollowing = this.#cards.length > 0
    this.#leaveStep()
    this.#at = at
    // The server renders the first step: adopt it where it is the step to show.
    if (!inside.querySelector('.stepper')) patch(inside, '<div class="stepper"></div><div class="card"></div>')
    this.#showPlace()
    const poll = polsts[at]
    if (poll) this.#cards = [this.#cardOf(poll, 0)]
    else if (polsts.length > 0) this.#end(polsts)
    else patch(this.#placeAt(0), renderNothing(language))
    if (isFollowing) slideIn(this.#placeAt(0), language)
    // After a key press the focus moves to the new step.
    if (focused && (!poll || !focused.isConnected)) inside.querySelector<HTMLElement>('.steps-title')?.focus()
    if (poll ? at > 0 : polsts.length > 0) this.#say(poll)
  }

  #end(polsts: readonly ServedPoll[]): void {
    this.#cards = polsts.map((each, i) => this.#cardOf(each, i))
    this.#farewell = new Farewell(this.#element)
    if (this.#campaign) this.#farewell.show(this.#campaign)
  }

  #cardOf(poll: ServedPoll, place: number): PollCard {
    const isStep = this.#campaign?.polsts[this.#at] !== undefined
    const around: Partial<Around> = {
      isFirst: this.#element.isServed && this.#at === 0,
      shown: ({ status }, { vote }) => {
        if (status === 'open') this.#over.delete(poll.id)
        else this.#over.add(poll.id)
        // An earlier vote, or a poll that takes none, must not be a dead end.
        if (isStep && (status !== 'open' || vote !== null)) this.#offerNext()
      },
      voted: (_, vote) => {
        void this.#counted(poll.id, vote)
        if (isStep) this.#advance()
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
    this.#next.withdraw()
    this.#farewell?.withdraw()
  }

  #advance(): void {
    clearTimeout(this.#timer)
    if (!isSet(this.#element.getAttribute('autoadvance') ?? 'true')) return
    this.#timer = setTimeout(() => this.#enter(this.#at + 1), LOOK_MS)
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
    const campaign = this.#campaign?.campaignId
    // A card that is shown tells of its vote too.
    if (!campaign || this.#told.has(poll)) return
    this.#told.add(poll)
    this.#voted.add(poll)
    this.#pending.delete(poll)
    this.#showPlace()
    if (vote) element.tell('voted', { poll, ...vote })
    const progress = await voter.getProgress(campaign).catch(() => null)
    if (!progress || run !== element.run) return
    const { completedSteps, totalSteps, completed } = progress
    element.tell('step', { campaign, completedSteps, totalSteps })
    if (this.#isCompleted || !(completed || this.#isFinished())) return
    this.#isCompleted = true
    element.tell('completed', { campaign, totalSteps })
  }

  #offerNext(): void {
    this.#next.offer(() => this.#enter(this.#at + 1))
  }

  #say(poll: ServedPoll | undefined): void {
    const element = this.#element
    const { run } = element
    const at = this.#at
    setTimeout(() => {
      if (run !== element.run || at !== this.#at || !this.#campaign) return
      const place = sayPlace(this.#place)
      this.#said = poll ? `${place}: ${poll.title}` : place
      this.#showPlace()
    }, SAY_MS)
  }

  get #place() {
    const total = this.#campaign?.polsts.length ?? 0
    return { at: this.#at, total, lang: this.#element.language, isSending: this.#pending.size > 0 }
  }

  #showPlace(): void {
    const place = this.#element.inside.querySelector('.stepper')
    if (!place || !this.#campaign) return
    patch(place, renderStepper({ ...this.#place, title: this.#campaign.title, said: this.#said }))
  }
}

/** The service knows the votes before its `currentPoll`, and this device most of the others. */
async function votesOn({ polsts }: ServedCampaign, progress: CampaignProgress | null): Promise<boolean[]> {
  if (!progress) return polsts.map(() => false)
  const current = polsts.findIndex(({ id }) => id === progress.currentPoll?.id)
  return Promise.all(
    polsts.map(async ({ id }, i) => progress.completed || i < current || (i !== current && (await hasVotedOn(id)))),
  )
}

function slideIn(place: Element, language: string): void {
  if (isStill()) return
  const side = directionOf(language) === 'rtl' ? -1 : 1
  const timing = { duration: 280, easing: 'cubic-bezier(.2, .8, .2, 1)' }
  const slide = place.animate([{ translate: `${side * 3}rem 0` }, { translate: '0 0' }], timing)
  // The integrity layer, which is stronger than an animation, lets this card move meanwhile.
  place.toggleAttribute('data-slides', true)
  slide.onfinish = slide.oncancel = () => place.removeAttribute('data-slides')
  // The page must not become wider while the step comes from its side.
  place.parentElement?.animate([{ overflowX: 'clip' }, { overflowX: 'clip' }], timing)
}
