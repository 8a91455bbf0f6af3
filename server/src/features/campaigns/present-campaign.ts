import { iso, isoOrNull } from '../../base/clock.ts'
import type { Deps } from '../../deps.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import type { CampaignTallies, OwnedCampaign, PublicCampaign } from '../../resources/campaign.ts'
import { presentBrandSummary } from '../brands/present-brand.ts'
import { presentListItem } from '../polls/present-poll.ts'
import type { PollRow } from '../polls/queries.ts'
import { presentTallies, type Viewer } from '../polls/results.ts'
import { earliest, statusAt, statusChangesAt, windowChangesAt, windowStatusAt } from '../polls/status.ts'
import type { CampaignWithPolls } from './with-polls.ts'

interface View {
  readonly deps: Pick<Deps, 'config'>
  readonly now: number
}

interface Walk {
  readonly walked: number
  readonly total: number
}

/** A poll that a visitor comes past. Drafts, archived and deleted ones keep their place and are not there. */
const isStep = (poll: PollRow): boolean => poll.is_draft === 0 && poll.archived_at === null

export const stepsOf = ({ polls }: CampaignWithPolls): PollRow[] => polls.filter(isStep)

export const presentPublicCampaign = (campaign: CampaignWithPolls, view: View): PublicCampaign =>
  presentCampaign(campaign, stepsOf(campaign), { ...view, viewer: 'public' })

/** With all polls but the deleted ones, and those named that the public does not see. */
export const presentOwnedCampaign = (campaign: CampaignWithPolls, walk: Walk, view: View): OwnedCampaign => ({
  ...presentCampaign(campaign, campaign.polls, { ...view, viewer: 'owner' }),
  withheldPolstIds: campaign.polls.filter((poll) => !isStep(poll)).map(({ id }) => id),
  responsesProgress: {
    isComplete: walk.walked === walk.total,
    votesRead: walk.walked,
    votesToRead: walk.total,
  },
})

/** Steps are counted alike for everybody. */
function presentCampaign(
  campaign: CampaignWithPolls,
  shown: readonly PollRow[],
  { deps, viewer, now }: View & { viewer: Viewer },
): PublicCampaign {
  const { row } = campaign
  const steps = stepsOf(campaign).length
  return {
    campaignId: row.id,
    title: row.title,
    description: row.description,
    polsts: shown.map((poll) => presentListItem(poll, { deps, viewer, now })),
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
  }
}

/** Changed by each PATCH, and when a poll leaves because it is deleted: not by votes, the clock, or what a poll says. */
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

/** The next moment at which the clock changes what the public sees of it. */
export const campaignChangesAt = (campaign: CampaignWithPolls, now: number): number | null =>
  earliest([windowChangesAt(campaign.row, now), ...stepsOf(campaign).map((poll) => statusChangesAt(poll, now))])
