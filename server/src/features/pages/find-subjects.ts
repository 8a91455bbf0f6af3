import type { Choice } from '../../../../embed/src/poll-view.ts'
import { html } from '../../../../embed/src/render/html.ts'
import { renderInside } from '../../../../embed/src/render/render-inside.ts'
import { renderNothing } from '../../../../embed/src/render/render-nothing.ts'
import { renderStepper } from '../../../../embed/src/render/render-stepper.ts'
import { type Looks, renderOptionsOf, themeWith } from '../../../../embed/src/theme/looks.ts'
import { langOf, wordsOf } from '../../../../embed/src/words.ts'
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
import type { Revision } from '../polls/snapshots/revisions.ts'
import { publicUrl } from '../uploads/files.ts'
import { type Answer, brandCard, type Card, campaignCard, pollCard } from './cards/card.ts'
import type { Asking, Subject } from './page.ts'

export function pollSubject(
  { body, data: poll }: Read<PublicPoll>,
  looks: Looks,
  { isListed, side = null }: { readonly isListed: boolean; readonly side?: Choice | null },
): Subject {
  const { title, shareUrl, shortId, slug } = poll
  return {
    title,
    description: choicesOf(poll),
    address: shareUrl,
    link: new URL(`/p/${slug}`, shareUrl).href,
    card: pollCard(poll, side && { side, lang: langOf(looks.lang) }),
    isListed,
    brandName: brandOf(poll).name,
    brandSlug: brandOf(poll).slug,
    theme: brandOf(poll).theme,
    profile: null,
    around: {},
    pollIds: [poll.id],
    element: 'tossup-poll',
    reference: { name: 'poll', value: shortId },
    inside: insideOf(poll, looks, true),
    isOpen: poll.status === 'open',
    isByCode: poll.admission === 'code',
    json: dataIn(body),
  }
}

function campaignSubject({ body, data: campaign }: Read<PublicCampaign>, looks: Looks, address: string): Subject {
  const { title, description, campaignId, polsts, brand, isPublic } = campaign
  const { lang = 'en' } = renderOptionsOf(looks)
  const open = polsts.filter(({ status }) => status === 'open')
  const { closed, notOpenYet } = wordsOf(lang)
  const aside = polsts.some(({ status }) => status === 'scheduled') ? notOpenYet : closed
  const steps = renderStepper({
    title,
    about: description,
    at: 0,
    total: open.length,
    lang,
    ...(polsts.length > open.length && open.length === 0 && { aside }),
  })
  // The first poll to vote on; where there is none, the end.
  const shown = open.length > 0 ? open.slice(0, 1) : polsts
  const cards = shown.map((poll, i) => `<div class="card">${insideOf(poll, looks, i === 0)}</div>`)
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
    around: {},
    pollIds: polsts.map((poll) => poll.id),
    element: 'tossup-campaign',
    reference: { name: 'campaign', value: campaignId },
    isOpen: open.length > 0,
    isByCode: polsts.some(({ admission }) => admission === 'code'),
    inside: `<div class="stepper">${steps}</div>${cards.join('') || `<div class="card">${renderNothing(lang)}</div>`}`,
    json: dataIn(body),
  }
}

interface FeedPlace {
  readonly looks: Looks
  readonly address: string
  /** How the address of each file of ours begins. */
  readonly files: string
  /** Whether the first poll is the featured one. */
  readonly isLed?: boolean
}

export function feedSubject(
  brand: PublicBrand,
  feed: Read<readonly PollListItem[]>,
  { looks, address, files, isLed = false }: FeedPlace,
): Subject {
  const cards = feed.data.map(
    (poll, i) =>
      `${html`<div class="card${isLed && i === 0 && ' is-featured'}" data-poll="${poll.id}">`}${insideOf(poll, looks, i === 0)}</div>`,
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
      avatarUrl: ownAvatar(brand, files),
      description: brand.description,
      place: [brand.locationCity, brand.locationState].filter(Boolean).join(', ') || null,
    },
    around: {},
    pollIds: [],
    element: 'tossup-feed',
    reference: { name: 'brand', value: brand.slug },
    isOpen: feed.data.some(({ status }) => status === 'open'),
    isByCode: false,
    inside: cards.join('') || renderNothing(renderOptionsOf(looks).lang ?? 'en'),
    json: feed.body,
  }
}

/** Null if the file is not ours. */
export const ownAvatar = ({ avatarUrl }: PublicBrand, files: string): string | null =>
  avatarUrl?.startsWith(files) ? avatarUrl : null

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
  readonly brandKey: number
  /** Earlier titles and labels of a poll. */
  readonly revisions?: readonly Revision[]
  /** The side is that of the visitor who shared the page. */
  subject(looks: Looks, side?: Choice | null): Subject
  card(answer?: Answer | null): Card
}

/** Null for a malformed address too: both show the same page. */
type Find<Kind = Found> = (reference: string, now: number) => Promise<Kind | null>

export interface FindSubjects {
  readonly poll: Find<Found & { data(): PublicPoll }>
  readonly campaign: Find
  readonly feed: Find
  /** Finds a poll that is in memory and valid. */
  peekPoll(reference: string, now: number): Pick<Found, 'name' | 'source' | 'changesAt' | 'brandKey'> | null
}

export function findSubjects(
  deps: Deps,
  { pollKeys, snapshots, feeds, campaigns }: PublicPolls & { readonly campaigns: PublicCampaigns },
): FindSubjects {
  const { config, engine } = deps
  const files = publicUrl(deps, '')
  const pollAt = (pollKey: number, brandKey: number, { etag, changesAt }: Ready) => ({
    name: `p ${pollKey}`,
    source: etag,
    changesAt,
    brandKey,
  })

  return {
    peekPoll(reference, now) {
      const pollKey = pollKeys.peek(reference)
      const snapshot = pollKey === null ? null : snapshots.peek(pollKey)
      const ready = snapshot?.peek('poll', now)
      return pollKey !== null && snapshot && ready ? pollAt(pollKey, snapshot.brandKey, ready) : null
    },

    async poll(reference, now) {
      if (!pollParams.safeParse({ slug: reference }).success) return null
      const pollKey = await pollKeys.find(reference)
      const snapshot = pollKey === null ? null : await snapshots.find(pollKey)
      if (pollKey === null || !snapshot) return null
      const ready = snapshot.poll(now)
      const read = () => readIn<PublicPoll>(ready)
      return {
        ...pollAt(pollKey, snapshot.brandKey, ready),
        revisions: snapshot.revisions,
        address: `${config.publicUrl}/p/${snapshot.shortId}`,
        data: () => read().data,
        subject: (looks, side = null) => pollSubject(read(), looks, { isListed: snapshot.isListed(now), side }),
        card: (answer = null) => pollCard(read().data, answer),
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
        brandKey: row.brand_key,
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
        brandKey: row.key,
        subject: (looks) => feedSubject(brand, readIn<PollListItem[]>(ready), { looks, address, files }),
        card: () => brandCard(brand),
      }
    },
  }
}

const readIn = <Data>({ body }: Ready): Read<Data> => ({ body, data: (JSON.parse(body) as { data: Data }).data })

/**
 * Takes `utm_source` of the address as the source where the brand of the page has declared this name; any other is a name of somebody's
 * campaign, and would count as `other`. One row is read, and only for such an address, so that no page holds the names of a brand
 * and pages are kept only for names that exist.
 */
export async function withSourceOfLink({ engine: { db } }: Deps, { brandKey }: Found, asking: Asking): Promise<Asking> {
  const { looks, utmSource: source } = asking
  if (looks.source || source === null) return asking
  const declared = await db
    .selectFrom('source_names')
    .select('key')
    .where('brand_key', '=', brandKey)
    .where('name', '=', source)
    .executeTakeFirst()
  return declared ? { ...asking, looks: { ...looks, source }, given: [...asking.given, ['source', source]] } : asking
}
