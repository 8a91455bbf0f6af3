import { notFound } from '../../base/errors.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { EventsWith } from '../../events/event-catalogue.ts'
import type { OwnedCampaign } from '../../events/resources/campaign.ts'
import type { Deps } from '../deps.ts'
import { presentOwnedCampaign } from './present-campaign.ts'
import { findOwnedCampaign, walksOf } from './queries.ts'
import { type CampaignWithPolls, withItsPolls } from './with-polls.ts'

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
