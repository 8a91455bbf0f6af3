import { html } from '../../../../embed/src/html.ts'
import { type Looks, renderOptionsOf, themeWith } from '../../../../embed/src/looks.ts'
import { renderInside } from '../../../../embed/src/render-inside.ts'
import { renderNothing } from '../../../../embed/src/render-nothing.ts'
import { renderStepper } from '../../../../embed/src/render-stepper.ts'
import type { PublicBrand } from '../../resources/brand.ts'
import type { PublicCampaign } from '../../resources/campaign.ts'
import type { PollListItem, PublicPoll } from '../../resources/poll.ts'
import { brandCard, campaignCard, pollCard } from './cards/card.ts'
import type { Subject } from './page.ts'

export function pollSubject(poll: PublicPoll, looks: Looks, isListed: boolean): Subject {
  const { title, shareUrl, shortId } = poll
  return {
    title,
    description: choicesOf(poll),
    address: shareUrl,
    card: pollCard(poll),
    isListed,
    brandName: brandOf(poll).name,
    brandSlug: brandOf(poll).slug,
    theme: brandOf(poll).theme,
    element: 'tossup-poll',
    reference: { name: 'poll', value: shortId },
    inside: insideOf(poll, looks, true),
    data: poll,
  }
}

export function campaignSubject(campaign: PublicCampaign, looks: Looks, address: string): Subject {
  const { title, description, campaignId, polsts, brand, isPublic } = campaign
  const [first] = polsts
  const { lang = 'en' } = renderOptionsOf(looks)
  const steps = renderStepper({ title, at: 0, total: polsts.length, lang })
  return {
    title,
    description: description ?? polsts.map((poll) => poll.title).join(' · '),
    address,
    card: campaignCard(campaign),
    isListed: isPublic,
    brandName: brand.name,
    brandSlug: brand.slug,
    theme: brand.theme,
    element: 'tossup-campaign',
    reference: { name: 'campaign', value: campaignId },
    inside: `<div class="stepper">${steps}</div><div class="card">${first ? insideOf(first, looks, true) : renderNothing(lang)}</div>`,
    data: campaign,
  }
}

export interface FeedPage {
  readonly data: readonly PollListItem[]
  readonly nextCursor: string | null
}

export function feedSubject(
  brand: PublicBrand,
  feed: FeedPage,
  { looks, address }: { looks: Looks; address: string },
): Subject {
  const cards = feed.data.map(
    (poll, i) => `${html`<div class="card" data-poll="${poll.id}">`}${insideOf(poll, looks, i === 0)}</div>`,
  )
  return {
    title: brand.displayName ?? brand.name,
    description: brand.description ?? feed.data.map((poll) => poll.title).join(' · '),
    address,
    card: brandCard(brand),
    isListed: true,
    brandName: brand.displayName ?? brand.name,
    brandSlug: brand.slug,
    theme: brand.theme,
    element: 'tossup-feed',
    reference: { name: 'brand', value: brand.slug },
    inside: cards.join('') || renderNothing(renderOptionsOf(looks).lang ?? 'en'),
    data: feed,
  }
}

type AnyPoll = PublicPoll | PollListItem

const insideOf = (poll: AnyPoll, looks: Looks, isFirst: boolean): string =>
  renderInside(poll, themeWith(brandOf(poll).theme, looks), { ...renderOptionsOf(looks), isFirst })

function brandOf({ brand }: AnyPoll) {
  if (!brand) throw new Error('a poll without a brand')
  return brand
}

const choicesOf = ({ optionA, optionB }: AnyPoll): string => `${optionA.label} · ${optionB.label}`
