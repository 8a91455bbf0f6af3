import type { Looks } from '../../../../embed/src/theme/looks.ts'
import { brandParams } from '../../events/resources/brand.ts'
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
import { campaignSubject, feedSubject, pollSubject, type Read } from './subjects.ts'

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
