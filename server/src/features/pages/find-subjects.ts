import { html } from '../../../../embed/src/render/html.ts'
import { renderInside } from '../../../../embed/src/render/render-inside.ts'
import { renderNothing } from '../../../../embed/src/render/render-nothing.ts'
import { renderStepper } from '../../../../embed/src/render/render-stepper.ts'
import { type Looks, renderOptionsOf, themeWith } from '../../../../embed/src/theme/looks.ts'
import { brandParams, type PublicBrand } from '../../events/resources/brand.ts'
import { campaignParams, type PublicCampaign } from '../../events/resources/campaign.ts'
import { type PollListItem, type PublicPoll, pollParams } from '../../events/resources/poll.ts'
import type { Ready } from '../../http/answers/answer.ts'
import { etagOf } from '../../http/answers/caching.ts'
import { findBrand, presentPublicBrand } from '../brands/brands.ts'
import type { PublicCampaigns } from '../campaigns/public-campaigns.ts'
import { findPublicCampaign } from '../campaigns/queries.ts'
import type { Deps } from '../deps.ts'
import type { PublicPolls } from '../polls/public-routes.ts'
import { publicUrl } from '../uploads/files.ts'
import { brandCard, type Card, campaignCard, pollCard } from './cards/card.ts'
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

function campaignSubject({ body, data: campaign }: Read<PublicCampaign>, looks: Looks, address: string): Subject {
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
function feedSubject(
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
interface Read<Data> {
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

export interface Found {
  /** The page's canonical name. */
  readonly address: string
  /** Our internal key. */
  readonly name: string
  /** Stays equal for as long as the content does. */
  readonly source: string
  readonly changesAt: number | null
  subject(looks: Looks): Subject
  card(): Card
}

/** Null for a malformed address too: both show the same page. */
export type Find = (reference: string, now: number) => Promise<Found | null>

export interface FindSubjects {
  readonly poll: Find
  readonly campaign: Find
  readonly feed: Find
  /** Finds a poll that is in memory and valid. */
  peekPoll(reference: string, now: number): Pick<Found, 'name' | 'source' | 'changesAt'> | null
}

interface Sources extends PublicPolls {
  readonly campaigns: PublicCampaigns
}

export function findSubjects(deps: Deps, { pollKeys, snapshots, feeds, campaigns }: Sources): FindSubjects {
  const { config, engine } = deps
  const files = publicUrl(deps, '')
  const pollAt = (pollKey: number, { etag, changesAt }: Ready) => ({ name: `p ${pollKey}`, source: etag, changesAt })

  return {
    peekPoll(reference, now) {
      const pollKey = pollKeys.peek(reference)
      const ready = pollKey === null ? null : snapshots.peek(pollKey)?.peek('poll', now)
      return pollKey !== null && ready ? pollAt(pollKey, ready) : null
    },

    async poll(reference, now) {
      if (!pollParams.safeParse({ slug: reference }).success) return null
      const pollKey = await pollKeys.find(reference)
      const snapshot = pollKey === null ? null : await snapshots.find(pollKey)
      if (pollKey === null || !snapshot) return null
      const ready = snapshot.poll(now)
      const read = () => readIn<PublicPoll>(ready)
      return {
        ...pollAt(pollKey, ready),
        address: `${config.publicUrl}/p/${snapshot.shortId}`,
        subject: (looks) => pollSubject(read(), looks, snapshot.isListed(now)),
        card: () => pollCard(read().data),
      }
    },

    async campaign(campaignId, now) {
      if (!campaignParams.safeParse({ campaignId }).success) return null
      const row = await findPublicCampaign(engine.db, campaignId)
      if (!row) return null
      const ready = await campaigns.find(row, now)
      const read = () => readIn<PublicCampaign>(ready)
      const address = `${config.publicUrl}/c/${campaignId}`
      return {
        name: `c ${campaignId}`,
        address,
        source: ready.etag,
        changesAt: ready.changesAt,
        subject: (looks) => campaignSubject(read(), looks, address),
        card: () => campaignCard(read().data),
      }
    },

    async feed(brandSlug, now) {
      if (!brandParams.safeParse({ brandSlug }).success) return null
      const [row, ready] = await Promise.all([findBrand(engine.db, brandSlug), feeds.find(brandSlug, now)])
      if (!row || !ready) return null
      const brand = presentPublicBrand(deps, row)
      const address = `${config.publicUrl}/b/${brandSlug}`
      return {
        name: `b ${brandSlug}`,
        address,
        source: etagOf(JSON.stringify(brand) + ready.etag),
        changesAt: ready.changesAt,
        subject: (looks) => feedSubject(brand, readIn<PollListItem[]>(ready), { looks, address, files }),
        card: () => brandCard(brand),
      }
    },
  }
}

const readIn = <Data>({ body }: Ready): Read<Data> => ({ body, data: (JSON.parse(body) as { data: Data }).data })
