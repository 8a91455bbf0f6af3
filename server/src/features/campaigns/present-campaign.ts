import { iso, isoOrNull } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { EventsWith } from '../../events/event-catalogue.ts'
import type { CampaignTallies, OwnedCampaign, PublicCampaign } from '../../events/resources/campaign.ts'
import type { PollListItem } from '../../events/resources/poll.ts'
import { type Precondition, type Version, versionedTag } from '../../http/precondition.ts'
import { presentBrandSummary } from '../brands/brands.ts'
import type { Deps } from '../deps.ts'
import { presentListItem } from '../polls/present-poll.ts'
import type { PollRow } from '../polls/queries.ts'
import {
  earliest,
  presentTallies,
  statusAt,
  statusChangesAt,
  windowChangesAt,
  windowStatusAt,
} from '../polls/status.ts'
import {
  type CampaignWithBrand,
  type CampaignWithPolls,
  findOwnedCampaign,
  responsesProgressOf,
  withItsPolls,
} from './queries.ts'

interface View {
  readonly deps: Pick<Deps, 'config'>
  readonly now: number
}

/** A poll that visitors see. Drafts, archived and deleted polls keep their place but are skipped. */
const isStep = (poll: PollRow): boolean => poll.is_draft === 0 && poll.archived_at === null

const stepsOf = ({ polls }: CampaignWithPolls): PollRow[] => polls.filter(isStep)

/** The JSON of a public campaign, before and after its polls. */
export function campaignJson(row: CampaignWithBrand, steps: number, view: View): [before: string, after: string] {
  const json = JSON.stringify(campaignFields(row, { polsts: [], steps }, view))
  const at = json.indexOf(EMPTY_LIST) + EMPTY_LIST.length - 1
  return [json.slice(0, at), json.slice(at)]
}

/** The first list of a campaign. No text contains it, because quotes in a text are escaped. */
const EMPTY_LIST = '"polsts":[]'

const campaignFields = (
  row: CampaignWithBrand,
  { polsts, steps }: { polsts: PollListItem[]; steps: number },
  { deps, now }: View,
): PublicCampaign => ({
  campaignId: row.id,
  title: row.title,
  description: row.description,
  polsts,
  totalSteps: steps,
  polstCount: steps,
  brand: presentBrandSummary(deps, { ...row, slug: row.brand_slug, name: row.brand_name }),
  status: windowStatusAt(row, now),
  state: row.state,
  isPublic: row.is_public === 1,
  opensAt: isoOrNull(row.opens_at),
  closesAt: isoOrNull(row.closes_at),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
})

/** Changed by each PATCH, and when a deleted poll leaves; not by votes, the clock, or changes of a poll. */
const campaignVersion = ({ updatedAt, polsts }: Pick<OwnedCampaign, 'updatedAt' | 'polsts'>): Version => [
  updatedAt,
  polsts.map(({ id }) => id),
]

export const campaignTag = (campaign: OwnedCampaign): string => versionedTag(campaignVersion(campaign), campaign)

export const presentCampaignTallies = (campaign: CampaignWithPolls, now: number): CampaignTallies => ({
  campaignId: campaign.row.id,
  polsts: stepsOf(campaign).map((poll) => ({
    slug: poll.slug,
    status: statusAt(poll, now),
    tallies: presentTallies(poll, 'public', now),
  })),
})

/** The next moment at which the clock changes the public view. */
export const campaignChangesAt = (campaign: CampaignWithPolls, now: number): number | null =>
  earliest([windowChangesAt(campaign.row, now), ...stepsOf(campaign).map((poll) => statusChangesAt(poll, now))])

/** In the owner's form: with all polls except deleted ones, and the ids of those that the public does not see. */
export async function presentOwned(
  deps: Deps,
  db: Db,
  { campaigns, now }: { campaigns: readonly CampaignWithPolls[]; now: number },
): Promise<OwnedCampaign[]> {
  if (campaigns.length === 0) return []
  const keys = campaigns.map(({ row }) => row.key)
  const progressOf = await responsesProgressOf(db, keys)
  return campaigns.map(({ row, polls }) => {
    const polsts = polls.map((poll) => presentListItem(poll, { deps, viewer: 'owner', now }))
    const withheldPolstIds = polls.filter((poll) => !isStep(poll)).map(({ id }) => id)
    return {
      ...campaignFields(row, { polsts, steps: polls.length - withheldPolstIds.length }, { deps, now }),
      withheldPolstIds,
      responsesProgress: progressOf(row.key),
    }
  })
}

export async function readOwned(
  deps: Deps,
  db: Db,
  { brandKey, campaignId, now }: { brandKey: number; campaignId: string; now: number },
): Promise<OwnedCampaign> {
  const row = await findOwnedCampaign(db, brandKey, campaignId)
  const [campaign] = row ? await presentOwned(deps, db, { campaigns: [await withItsPolls(db, row)], now }) : []
  if (!campaign) throw notFound()
  return campaign
}

/** Call it under the lock of the campaign. */
export async function requireVersion(
  deps: Deps,
  tx: Tx,
  { brandKey, campaignId }: { brandKey: number; campaignId: string },
  ifMatch: Precondition | null | undefined,
): Promise<void> {
  ifMatch?.(campaignVersion(await readOwned(deps, tx, { brandKey, campaignId, now: deps.clock.now() })))
}

/** Emits the campaign as it is when the event is built, in its owner's form. */
export const emitCampaign = (
  deps: Deps,
  tx: Tx,
  {
    type,
    brandKey,
    campaignId,
  }: { type: EventsWith<{ campaign: OwnedCampaign }>; brandKey: number; campaignId: string },
): Promise<void> =>
  deps.bus.emit(tx, {
    brandKey,
    type,
    data: async () => ({ campaign: await readOwned(deps, tx, { brandKey, campaignId, now: deps.clock.now() }) }),
  })
