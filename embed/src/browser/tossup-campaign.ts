import type { CampaignProgress, Vote } from '../../../sdk/src/openapi.ts'
import { isSet } from '../looks.ts'
import { renderNothing } from '../render-nothing.ts'
import { placeOf, renderStepper } from '../render-stepper.ts'
import { patch } from './patch.ts'
import type { PollCard } from './poll-card.ts'
import { codeOf, isMissing, type ServedCampaign, type ServedPoll, voter } from './service.ts'
import { TossupElement } from './tossup-element.ts'
import { waiting } from './waiting.ts'

/** How long the result of a step is shown before the next step follows. */
const LOOK_MS = 1_800
/** A live region must exist before its text changes, or it is not read out. */
const SAY_MS = 100

/** `<tossup-campaign campaign="…">`: its polls one after another, then all results. A returning visitor continues at the first poll without a vote. */
export class TossupCampaign extends TossupElement {
  static override readonly observedAttributes = ['campaign', ...TossupElement.observedAttributes]
  protected readonly named = 'campaign'
  #campaign: ServedCampaign | null = null
  #at = 0
  #said = ''
  /** One card, and at the end all of them. */
  #cards: PollCard[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  protected begin(reference: string, given: unknown): void {
    if (!given) this.inside.innerHTML = waiting(this.looks, null)
    void this.#load(reference, given as ServedCampaign | null)
  }

  protected end(): void {
    this.#leaveStep()
    this.#campaign = null
  }

  protected show(): void {
    this.#showPlace()
    for (const card of this.#cards) card.show()
    this.reword('next')
  }

  async #load(reference: string, given: ServedCampaign | null): Promise<void> {
    const { run } = this
    try {
      const campaign = given ?? ((await voter.getCampaign(reference)) as ServedCampaign)
      const progress = await voter.getProgress(campaign.campaignId)
      await this.dress(campaign.brand.theme)
      if (run !== this.run) return
      this.#campaign = campaign
      this.#enter(progress ? resumeAt(campaign, progress) : 0)
      this.tell('ready', { campaign: campaign.campaignId })
    } catch (error) {
      if (run !== this.run) return
      this.fail(isMissing(error) ? 'missing' : 'unreachable', codeOf(error))
    }
  }

  #enter(at: number): void {
    const { polsts = [] } = this.#campaign ?? {}
    const focused = this.root.activeElement
    this.#leaveStep()
    this.#at = at
    // The server renders the first step: adopt it where it is the step to show.
    if (!this.inside.querySelector('.stepper'))
      this.inside.innerHTML = '<div class="stepper"></div><div class="card"></div>'
    this.#showPlace()
    const poll = polsts[at]
    if (poll) this.#cards = [this.#cardOf(poll, 0)]
    else if (polsts.length > 0) this.#cards = polsts.map((each, i) => this.cardOf(this.#placeAt(i), each, {}))
    else this.#placeAt(0).innerHTML = renderNothing(this.language)
    // After a key press the focus moves to the new step.
    if (focused && (!poll || !focused.isConnected)) this.inside.querySelector<HTMLElement>('.steps-title')?.focus()
    if (poll ? at > 0 : polsts.length > 0) this.#say(poll)
  }

  #cardOf(poll: ServedPoll, place: number): PollCard {
    return this.cardOf(this.#placeAt(place), poll, {
      isFirst: this.isServed && this.#at === 0,
      shown: ({ status }) => {
        if (status !== 'open') this.#offerNext()
      },
      voted: (_, vote) => void this.#voted(poll.id, vote),
      failed: ({ code }) => {
        this.tell('error', { poll: poll.id, code })
        // The campaign can continue after any failure.
        this.#offerNext()
      },
    })
  }

  #placeAt(index: number): Element {
    const present = this.inside.querySelectorAll('.card')[index]
    if (present) return present
    const place = document.createElement('div')
    place.className = 'card'
    return this.inside.appendChild(place)
  }

  #leaveStep(): void {
    clearTimeout(this.#timer)
    for (const card of this.#cards) card.stop()
    this.#cards = []
    this.#said = ''
    this.withdraw()
  }

  async #voted(poll: string, vote: Vote): Promise<void> {
    const { run } = this
    const campaign = this.#campaign?.campaignId
    if (!campaign) return
    this.tell('voted', { poll, ...vote })
    this.#offerNext()
    if (isSet(this.getAttribute('autoadvance') ?? 'true'))
      this.#timer = setTimeout(() => this.#enter(this.#at + 1), LOOK_MS)
    const progress = await voter.getProgress(campaign).catch(() => null)
    if (!progress || run !== this.run) return
    const { completedSteps, totalSteps, completed } = progress
    this.tell('step', { campaign, completedSteps, totalSteps })
    if (completed) this.tell('completed', { campaign, totalSteps })
  }

  #offerNext(): void {
    this.offer('next', () => this.#enter(this.#at + 1))
  }

  #say(poll: ServedPoll | undefined): void {
    const { run } = this
    const at = this.#at
    setTimeout(() => {
      if (run !== this.run || at !== this.#at || !this.#campaign) return
      const place = placeOf({ at, total: this.#campaign.polsts.length, lang: this.language })
      this.#said = poll ? `${place}: ${poll.title}` : place
      this.#showPlace()
    }, SAY_MS)
  }

  #showPlace(): void {
    const place = this.inside.querySelector('.stepper')
    const campaign = this.#campaign
    if (!place || !campaign) return
    const template = document.createElement('template')
    const { title, polsts } = campaign
    const { language: lang } = this
    template.innerHTML = renderStepper({ title, at: this.#at, total: polsts.length, lang, said: this.#said })
    patch(place, template.content)
  }
}

/** Starts at the first poll without a vote, or behind the last one. */
function resumeAt({ polsts }: ServedCampaign, { currentPoll, completed }: CampaignProgress): number {
  if (completed) return polsts.length
  return Math.max(
    0,
    polsts.findIndex(({ id }) => id === currentPoll?.id),
  )
}
