import { html } from '../../../../embed/src/render/html.ts'
import { renderInside } from '../../../../embed/src/render/render-inside.ts'
import { renderNothing } from '../../../../embed/src/render/render-nothing.ts'
import { renderStepper } from '../../../../embed/src/render/render-stepper.ts'
import { type Looks, renderOptionsOf, themeWith } from '../../../../embed/src/theme/looks.ts'
import type { PublicBrand } from '../../events/resources/brand.ts'
import type { PublicCampaign } from '../../events/resources/campaign.ts'
import type { PollListItem, PublicPoll } from '../../events/resources/poll.ts'
import { brandCard, campaignCard, pollCard } from './cards/card.ts'
import type { Subject } from './page.ts'

export function pollSubject({ body, data: poll }: Read<PublicPoll>, looks: Looks, isListed: boolean): Subject {
  const { title, shareUrl, shortId, slug } = poll
  return {
    title,
    description: choicesOf(poll),
    address: shareUrl,
    link: new URL(`/p/${slug}`, shareUrl).href,
    card: pollCard(poll),
    isListed,
    brandName: brandOf(poll).name,
    brandSlug: brandOf(poll).slug,
    theme: brandOf(poll).theme,
    profile: null,
    element: 'tossup-poll',
    reference: { name: 'poll', value: shortId },
    inside: insideOf(poll, looks, true),
    json: dataIn(body),
  }
}

export function campaignSubject(
  { body, data: campaign }: Read<PublicCampaign>,
  looks: Looks,
  address: string,
): Subject {
  const { title, description, campaignId, polsts, brand, isPublic } = campaign
  const [first] = polsts
  const { lang = 'en' } = renderOptionsOf(looks)
  const steps = renderStepper({ title, at: 0, total: polsts.length, lang })
  return {
    title,
    description: description ?? polsts.map((poll) => poll.title).join(' · '),
    address,
    link: address,
    card: campaignCard(campaign),
    isListed: isPublic,
    brandName: brand.name,
    brandSlug: brand.slug,
    theme: brand.theme,
    profile: null,
    element: 'tossup-campaign',
    reference: { name: 'campaign', value: campaignId },
    inside: `<div class="stepper">${steps}</div><div class="card">${first ? insideOf(first, looks, true) : renderNothing(lang)}</div>`,
    json: dataIn(body),
  }
}

/** `files` is how the address of each file of ours begins. */
export function feedSubject(
  brand: PublicBrand,
  feed: Read<readonly PollListItem[]>,
  { looks, address, files }: { looks: Looks; address: string; files: string },
): Subject {
  const cards = feed.data.map(
    (poll, i) => `${html`<div class="card" data-poll="${poll.id}">`}${insideOf(poll, looks, i === 0)}</div>`,
  )
  return {
    title: brand.displayName ?? brand.name,
    description: brand.description ?? feed.data.map((poll) => poll.title).join(' · '),
    address,
    link: address,
    card: brandCard(brand),
    isListed: true,
    brandName: brand.displayName ?? brand.name,
    brandSlug: brand.slug,
    theme: brand.theme,
    profile: {
      avatarUrl: brand.avatarUrl?.startsWith(files) ? brand.avatarUrl : null,
      description: brand.description,
      place: [brand.locationCity, brand.locationState].filter(Boolean).join(', ') || null,
    },
    element: 'tossup-feed',
    reference: { name: 'brand', value: brand.slug },
    inside: cards.join('') || renderNothing(renderOptionsOf(looks).lang ?? 'en'),
    json: feed.body,
  }
}

/** The text of an answer, and its data. */
export interface Read<Data> {
  readonly body: string
  readonly data: Data
}

const BEFORE_DATA = '{"data":'

/** The text of `data`, which is all that the answer holds. */
const dataIn = (body: string): string => body.slice(BEFORE_DATA.length, -1)

type AnyPoll = PublicPoll | PollListItem

const insideOf = (poll: AnyPoll, looks: Looks, isFirst: boolean): string =>
  renderInside(poll, themeWith(brandOf(poll).theme, looks), { ...renderOptionsOf(looks), isFirst })

function brandOf({ brand }: AnyPoll) {
  if (!brand) throw new Error('a poll without a brand')
  return brand
}

const choicesOf = ({ optionA, optionB }: AnyPoll): string => `${optionA.label} · ${optionB.label}`
