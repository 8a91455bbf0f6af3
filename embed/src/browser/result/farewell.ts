import type { BrandSummary, PollListItem } from '../../../../sdk/src/openapi.ts'
import { readFeed } from '../../../../sdk/src/wire/polls-together.ts'
import { type Html, html } from '../../render/html.ts'
import { renderSegments } from '../../render/render-stepper.ts'
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

/**
 * The end of a campaign leads on: above its results it can be shared, and below them are other campaigns and polls of the brand.
 * Returns a function that takes both away.
 */
export function farewell(element: TossupElement, place: Element, campaign: ServedCampaign): () => void {
  const parts = [place]
  let isOver = false
  offerSharing(place, element.language, campaign)
  void findMore(campaign).then((links) => {
    if (isOver || links.length === 0) return
    const more = element.inside.appendChild(document.createElement('nav'))
    parts.push(more)
    offerMore(more, element.language, campaign.brand, links)
  })
  return () => {
    isOver = true
    for (const part of parts) part.remove()
  }
}

function speak(part: HTMLElement, language: string): void {
  part.className = 'farewell'
  part.lang = langOf(language)
  part.dir = directionOf(part.lang)
}

function offerSharing(place: Element, language: string, { title, campaignId }: ServedCampaign): void {
  speak(place as HTMLElement, language)
  const share = html`<button class="go-on" type="button">${wordsOf(language).share}</button>`
  patch(place, html`${share}<p class="farewell-told" role="status"></p>`.toString())
  const told = place.querySelector('.farewell-told') as Element
  place.querySelector('button')?.addEventListener('click', async () => {
    const shared = { title, text: title, url: addressOf(`/c/${campaignId}`) }
    told.textContent = ''
    told.textContent = await shareWords(shared, language)
  })
}

/** At the very end, so that it moves nothing when it comes. */
function offerMore(part: HTMLElement, language: string, brand: BrandSummary, links: readonly Html[]): void {
  speak(part, language)
  const more = wordsOf(language).moreFrom.replace('#', () => brand.name)
  const link = html`<a class="brand-link" href="${addressOf(`/b/${brand.slug}`)}" target="_top">${more}</a>`
  patch(part, html`${link}<ul>${links}</ul>`.toString())
}

/** Open campaigns and polls of the brand that this device can still vote on, and that are no part of this campaign. */
async function findMore({ brand, campaignId, polsts }: ServedCampaign): Promise<Html[]> {
  const [feed, campaigns] = await Promise.all([
    readFeed(voter, brand.slug).then(({ data }) => data, none),
    readCampaigns(brand.slug).catch(none),
  ])
  const known = new Set(polsts.map(({ id }) => id))
  const isLeft = async ({ id, status }: PollListItem) => status === 'open' && !known.has(id) && !(await hasVotedOn(id))
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

const none = () => []

/** The newest public campaigns of a brand. */
const readCampaigns = async (brandSlug: string): Promise<ServedCampaign[]> =>
  (await (await fetchFile(`${API}/brands/${brandSlug}/campaigns?limit=${MOST_READ}`)).json()).data

/** A campaign shows how many steps it has. */
const linkTo = (path: string, title: string, steps = 0): Html =>
  html`<li><a class="poll-link" href="${addressOf(path)}" target="_top" dir="auto">${title}${steps > 0 && renderSegments(steps)}</a></li>`
