import type { PollListItem } from '../../../../sdk/src/openapi.ts'
import { type Html, html } from '../../render/html.ts'
import { renderSegments } from '../../render/render-stepper.ts'
import { isSet } from '../../theme/looks.ts'
import { directionOf, langOf, wordsOf } from '../../words.ts'
import { API, addressOf } from '../address-of.ts'
import { patch } from '../patch.ts'
import { fetchFile, type ServedCampaign, voter } from '../service.ts'
import type { TossupElement } from '../tossup-element.ts'
import { hasVotedOn } from '../votes/voted-polls.ts'
import { shareWords } from './share-words.ts'

const MOST_LINKS = 4
const MOST_CAMPAIGNS = 2
/** Some of them may be this one, over, or done. */
const MOST_READ = 6

/** The end of a campaign leads on: above its results it can be shared, and below them are other campaigns and polls of the brand. */
export class Farewell {
  readonly #element: TossupElement
  #isOver = false

  constructor(element: TossupElement) {
    this.#element = element
  }

  show(campaign: ServedCampaign): void {
    if (isSet(this.#element.getAttribute('hideafter'))) return
    this.#offerSharing(campaign)
    void this.#findMore(campaign).then((links) => {
      if (!this.#isOver && links.length > 0) this.#offerMore(campaign, links)
    })
  }

  withdraw(): void {
    this.#isOver = true
    for (const part of this.#element.inside.querySelectorAll('.farewell')) part.remove()
  }

  #offerSharing({ title, campaignId }: ServedCampaign): void {
    const { language } = this.#element
    const part = this.#part('div')
    const share = html`<button class="go-on" type="button">${wordsOf(language).share}</button>`
    patch(part, html`${share}<p class="farewell-told" role="status"></p>`.toString())
    const told = part.querySelector('.farewell-told') as Element
    part.querySelector('button')?.addEventListener('click', async () => {
      const shared = { title, text: title, url: addressOf(`/c/${campaignId}`) }
      told.textContent = ''
      told.textContent = await shareWords(shared, language)
    })
    this.#element.inside.querySelector('.stepper')?.after(part)
  }

  /** At the very end, so that it moves nothing when it comes. */
  #offerMore({ brand }: ServedCampaign, links: readonly Html[]): void {
    const part = this.#part('nav')
    const more = wordsOf(this.#element.language).moreFrom.replace('#', () => brand.name)
    const link = html`<a class="brand-link" href="${addressOf(`/b/${brand.slug}`)}" target="_top">${more}</a>`
    patch(part, html`${link}<ul>${links}</ul>`.toString())
    this.#element.inside.append(part)
  }

  #part(kind: 'div' | 'nav'): HTMLElement {
    const part = document.createElement(kind)
    part.className = 'farewell'
    part.lang = langOf(this.#element.language)
    part.dir = directionOf(part.lang)
    return part
  }

  /** Open campaigns and polls of the brand that this device can still vote on, and that are no part of this campaign. */
  async #findMore({ brand, campaignId, polsts }: ServedCampaign): Promise<Html[]> {
    const [feed, campaigns] = await Promise.all([
      voter.readFeed(brand.slug).then(({ data }) => data, none),
      readCampaigns(brand.slug).catch(none),
    ])
    const known = new Set(polsts.map(({ id }) => id))
    const isLeft = async ({ id, status }: PollListItem) =>
      status === 'open' && !known.has(id) && !(await hasVotedOn(id))
    const links: Html[] = []
    for (const { campaignId: id, title, status, polsts: polls, totalSteps } of campaigns) {
      if (links.length === MOST_CAMPAIGNS) break
      if (id === campaignId || status !== 'open' || !(await Promise.all(polls.map(isLeft))).includes(true)) continue
      for (const poll of polls) known.add(poll.id)
      links.push(linkTo(`/c/${id}`, title, totalSteps))
    }
    for (const poll of feed) {
      if (links.length >= MOST_LINKS) break
      if (await isLeft(poll)) links.push(linkTo(`/p/${poll.slug}`, poll.title))
    }
    return links
  }
}

const none = () => []

/** The newest public campaigns of a brand. */
const readCampaigns = async (brandSlug: string): Promise<ServedCampaign[]> =>
  (await (await fetchFile(`${API}/brands/${brandSlug}/campaigns?limit=${MOST_READ}`)).json()).data

/** A campaign shows how many steps it has. */
const linkTo = (path: string, title: string, steps = 0): Html =>
  html`<li><a class="poll-link" href="${addressOf(path)}" target="_top" dir="auto">${title}${steps > 0 && renderSegments(steps)}</a></li>`
