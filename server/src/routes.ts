import type { Deps } from './deps.ts'
import { responseRoutes } from './features/analytics/response-routes.ts'
import { timelineRoutes } from './features/analytics/timeline-routes.ts'
import { voterRoutes } from './features/analytics/voter-routes.ts'
import { ownerBrandRoutes } from './features/brands/owner-routes.ts'
import { publicBrandRoutes } from './features/brands/public-routes.ts'
import { ownerCampaignRoutes } from './features/campaigns/owner-routes.ts'
import { publicCampaignRoutes } from './features/campaigns/public-routes.ts'
import { guestRoutes } from './features/guests/routes.ts'
import { pageRoutes } from './features/pages/routes.ts'
import { ownerPollRoutes } from './features/polls/owner-routes.ts'
import { pollPictureRoutes } from './features/polls/pictures/picture-routes.ts'
import { type PublicPolls, publicPollRoutes } from './features/polls/public-routes.ts'
import { type LivePolls, streamRoutes } from './features/polls/streams/stream-route.ts'
import { progressRoutes } from './features/respondents/routes.ts'
import { tokenRoutes } from './features/tokens/routes.ts'
import { assetUploadRoutes } from './features/uploads/asset-routes.ts'
import { uploadRoutes } from './features/uploads/routes.ts'
import type { Ledger } from './features/votes/ledger.ts'
import { voteRoutes } from './features/votes/routes.ts'
import { deliveryRoutes } from './features/webhooks/delivery-routes.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import type { Route } from './http/route.ts'
import { systemRoutes } from './system-routes.ts'

/** Every route of the service, in the order of the reference. */
interface Parts extends PublicPolls, LivePolls {
  readonly ledger: Ledger
}

export const allRoutes = (deps: Deps, parts: Parts): Route[] => [
  ...tokenRoutes(deps),
  ...publicBrandRoutes(deps),
  ...ownerBrandRoutes(deps),
  ...publicPollRoutes(deps, parts),
  ...streamRoutes(deps, parts),
  ...publicCampaignRoutes(deps),
  ...voteRoutes(deps, parts.ledger, parts.pollKeys),
  ...progressRoutes(deps),
  ...guestRoutes(deps),
  ...ownerPollRoutes(deps),
  ...ownerCampaignRoutes(deps),
  ...responseRoutes(deps),
  ...pollPictureRoutes(deps),
  ...assetUploadRoutes(deps),
  ...voterRoutes(deps),
  ...timelineRoutes(deps),
  ...uploadRoutes(deps),
  ...webhookRoutes(deps),
  ...deliveryRoutes(deps),
  ...pageRoutes(deps, parts),
  ...systemRoutes(deps),
]
