import { html } from '../html.ts'
import { isSet } from '../looks.ts'
import { directionOf, langOf, wordsOf } from '../words.ts'
import { addressOf, type ServedCampaign, type ServedPoll, voter } from './service.ts'
import { shareWords } from './share-words.ts'
import type { TossupElement } from './tossup-element.ts'
import { hasVotedOn } from './voted-polls.ts'

const MOST_POLLS = 3

/** The end of a campaign leads on: above its results it can be shared, and below them are other polls of the brand. */
export class Farewell {
  readonly #element: TossupElement
  #isOver = false

  constructor(element: TossupElement) {
    this.#element = element
  }

  show(campaign: ServedCampaign): void {
    if (isSet(this.#element.getAttribute('hideafter'))) return
    this.#offerSharing(campaign)
    void this.#findMore(campaign).then((polls) => {
      if (!this.#isOver && polls.length > 0) this.#offerMore(campaign, polls)
    })
  }

  withdraw(): void {
    this.#isOver = true
    for (const part of this.#element.inside.querySelectorAll('.farewell')) part.remove()
  }

  #offerSharing({ title, campaignId }: ServedCampaign): void {
    const { language } = this.#element
    const part = this.#part('div')
    part.innerHTML =
      html`<button class="go-on" type="button">${wordsOf(language).share}</button><p class="farewell-told" role="status"></p>`.toString()
    const told = part.querySelector('.farewell-told') as Element
    part.querySelector('button')?.addEventListener('click', async () => {
      const shared = { title, text: title, url: addressOf(`/c/${campaignId}`) }
      told.textContent = ''
      told.textContent = await shareWords(shared, language)
    })
    this.#element.inside.querySelector('.stepper')?.after(part)
  }

  /** At the very end, so that it moves nothing when it comes. */
  #offerMore({ brand }: ServedCampaign, polls: readonly ServedPoll[]): void {
    const part = this.#part('nav')
    const more = wordsOf(this.#element.language).moreFrom.replace('#', () => brand.name)
    const linkTo = ({ slug, title }: ServedPoll) =>
      html`<li><a class="poll-link" href="${addressOf(`/p/${slug}`)}" target="_top" dir="auto">${title}</a></li>`
    part.innerHTML =
      html`<a class="brand-link" href="${addressOf(`/b/${brand.slug}`)}" target="_top">${more}</a><ul>${polls.map(linkTo)}</ul>`.toString()
    this.#element.inside.append(part)
  }

  #part(kind: 'div' | 'nav'): HTMLElement {
    const part = document.createElement(kind)
    part.className = 'farewell'
    part.lang = langOf(this.#element.language)
    part.dir = directionOf(part.lang)
    return part
  }

  /** Open polls of the brand without a vote of this device, which are not of this campaign. */
  async #findMore({ brand, polsts }: ServedCampaign): Promise<ServedPoll[]> {
    const known = new Set(polsts.map(({ id }) => id))
    try {
      const { data } = await voter.readFeed(brand.slug)
      const others = (data as ServedPoll[]).filter(({ id, status }) => status === 'open' && !known.has(id))
      const areVoted = await Promise.all(others.map(({ id }) => hasVotedOn(id)))
      return others.filter((_, i) => !areVoted[i]).slice(0, MOST_POLLS)
    } catch {
      return []
    }
  }
}
