import type { EventsWith } from '../../bus/event-catalogue.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import type { OwnedCampaign } from '../../resources/campaign.ts'
import { readOwned } from './read-owned.ts'

interface Told {
  readonly type: EventsWith<{ campaign: OwnedCampaign }>
  readonly brandKey: number
  readonly campaignId: string
}

/** As the campaign is at that moment, in its owner's form. */
export const emitCampaign = (deps: Deps, tx: Tx, { type, brandKey, campaignId }: Told): Promise<void> =>
  deps.bus.emit(tx, {
    brandKey,
    type,
    data: async () => ({ campaign: await readOwned(deps, tx, { brandKey, campaignId, now: deps.clock.now() }) }),
  })
