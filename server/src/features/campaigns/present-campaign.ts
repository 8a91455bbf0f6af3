import { iso, isoOrNull } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { EventsWith } from '../../events/event-catalogue.ts'
import type { CampaignTallies, OwnedCampaign, PublicCampaign } from '../../events/resources/campaign.ts'
import type { PollListItem } from '../../events/resources/poll.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import { presentBrandSummary } from '../brands/present-brand.ts'
import type { Deps } from '../deps.ts'
import { presentListItem } from '../polls/present-poll.ts'
import type { PollRow } from '../polls/queries.ts'
import {
  earliest,
  presentTallies,
  statusAt,
  statusChangesAt,
  type Viewer,
  windowChangesAt,
  windowStatusAt,
} from '../polls/status.ts'
import { type CampaignWithBrand, type CampaignWithPolls, findOwnedCampaign, walksOf, withItsPolls } from './queries.ts'

interface View {
  readonly deps: Pick<Deps, 'config'>
  readonly now: number
}

interface Walk {
  readonly walked: number
  readonly total: number
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

/** Includes all polls except deleted ones, and lists the ids of those that the public does not see. */
export const presentOwnedCampaign = (campaign: CampaignWithPolls, walk: Walk, view: View): OwnedCampaign => ({
  ...presentCampaign(campaign, campaign.polls, { ...view, viewer: 'owner' }),
  withheldPolstIds: campaign.polls.filter((poll) => !isStep(poll)).map(({ id }) => id),
  responsesProgress: {
    isComplete: walk.walked === walk.total,
    votesRead: walk.walked,
    votesToRead: walk.total,
  },
})

/** Counts the steps in the same way for every viewer. */
function presentCampaign(
  campaign: CampaignWithPolls,
  shown: readonly PollRow[],
  { deps, viewer, now }: View & { viewer: Viewer },
): PublicCampaign {
  const polsts = shown.map((poll) => presentListItem(poll, { deps, viewer, now }))
  return campaignFields(campaign.row, { polsts, steps: stepsOf(campaign).length }, { deps, now })
}

interface Steps {
  readonly polsts: PollListItem[]
  readonly steps: number
}

const campaignFields = (row: CampaignWithBrand, { polsts, steps }: Steps, { deps, now }: View): PublicCampaign => ({
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
export const campaignVersion = ({ updatedAt, polsts }: Pick<OwnedCampaign, 'updatedAt' | 'polsts'>): Version => [
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

export async function presentOwned(
  deps: Deps,
  db: Db,
  { campaigns, now }: { campaigns: readonly CampaignWithPolls[]; now: number },
): Promise<OwnedCampaign[]> {
  if (campaigns.length === 0) return []
  const walkOf = await walksOf(
    db,
    campaigns.map(({ row }) => row.key),
  )
  return campaigns.map((campaign) => presentOwnedCampaign(campaign, walkOf(campaign.row.key), { deps, now }))
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

interface Told {
  readonly type: EventsWith<{ campaign: OwnedCampaign }>
  readonly brandKey: number
  readonly campaignId: string
}

/** Emits the campaign as it is when the event is built, in its owner's form. */
export const emitCampaign = (deps: Deps, tx: Tx, { type, brandKey, campaignId }: Told): Promise<void> =>
  deps.bus.emit(tx, {
    brandKey,
    type,
    data: async () => ({ campaign: await readOwned(deps, tx, { brandKey, campaignId, now: deps.clock.now() }) }),
  })
