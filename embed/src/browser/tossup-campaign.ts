import type { CampaignProgress, Vote } from '../../../sdk/src/openapi.ts'
import { isSet } from '../looks.ts'
import { renderStepper } from '../render-stepper.ts'
import { patch } from './patch.ts'
import { PollCard } from './poll-card.ts'
import { codeOf, isMissing, type ServedCampaign, voter } from './service.ts'
import { TossupElement } from './tossup-element.ts'
import { waiting } from './waiting.ts'

/** How long the result of a step stands before the next one comes by itself. */
const LOOK_MS = 1_800

/** `<tossup-campaign campaign="…">`: polls one after another; who comes back goes on where they were. */
export class TossupCampaign extends TossupElement {
  static override readonly observedAttributes = ['campaign', ...TossupElement.observedAttributes]
  protected readonly named = 'campaign'
  #campaign: ServedCampaign | null = null
  #at = 0
  #card: PollCard | null = null
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
    this.#card?.show()
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
    this.#leaveStep()
    this.#at = at
    // The server sends the first step along: it is used where it stands, if it is the one to show.
    if (!this.inside.querySelector('.stepper'))
      this.inside.innerHTML = '<div class="stepper"></div><div class="card"></div>'
    this.#showPlace()
    const place = this.inside.querySelector('.card')
    const poll = polsts[at]
    if (!place) return
    if (!poll) {
      place.replaceChildren()
      return
    }
    this.#card = new PollCard(place, poll.id, {
      looks: () => this.looks,
      shown: ({ status }) => {
        if (status !== 'open') this.#offerNext()
      },
      voted: (_, vote) => void this.#voted(poll.id, vote),
      failed: ({ code }) => {
        this.tell('error', { poll: poll.id, code })
        if (code === 'VOTE_ALREADY_CAST' || code === 'POLST_CLOSED') this.#offerNext()
      },
    })
    void this.#card.start(poll)
  }

  #leaveStep(): void {
    clearTimeout(this.#timer)
    this.#card?.stop()
    this.#card = null
    this.withdraw()
  }

  async #voted(poll: string, vote: Vote): Promise<void> {
    const campaign = this.#campaign
    const { run } = this
    if (!campaign) return
    this.tell('voted', { poll, ...vote })
    this.#offerNext()
    if (isSet(this.getAttribute('autoadvance') ?? 'true'))
      this.#timer = setTimeout(() => this.#enter(this.#at + 1), LOOK_MS)
    const progress = await voter.getProgress(campaign.campaignId).catch(() => null)
    if (!progress || run !== this.run) return
    const { completedSteps, totalSteps, completed } = progress
    this.tell('step', { campaign: campaign.campaignId, completedSteps, totalSteps })
    if (completed) this.tell('completed', { campaign: campaign.campaignId, totalSteps })
  }

  #offerNext(): void {
    this.offer('next', () => this.#enter(this.#at + 1))
  }

  #showPlace(): void {
    const place = this.inside.querySelector('.stepper')
    const campaign = this.#campaign
    if (!place || !campaign) return
    const template = document.createElement('template')
    const { title, polsts } = campaign
    template.innerHTML = renderStepper({ title, at: this.#at, total: polsts.length, lang: this.language })
    patch(place, template.content)
  }
}

/** At the first poll without a vote, or behind the last one. */
function resumeAt({ polsts }: ServedCampaign, { currentPoll, completed }: CampaignProgress): number {
  if (completed) return polsts.length
  return Math.max(
    0,
    polsts.findIndex(({ id }) => id === currentPoll?.id),
  )
}
