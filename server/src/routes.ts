import type { Deps } from './deps.ts'
import { ownerPollRoutes } from './features/polls/owner-routes.ts'
import { type PublicPolls, publicPollRoutes } from './features/polls/public-routes.ts'
import { tokenRoutes } from './features/tokens/routes.ts'
import { uploadRoutes } from './features/uploads/routes.ts'
import type { Ledger } from './features/votes/ledger.ts'
import { voteRoutes } from './features/votes/routes.ts'
import type { Route } from './http/route.ts'
import { systemRoutes } from './system-routes.ts'

/** Every route of the service, in the order of the reference. */
interface Parts extends PublicPolls {
  readonly ledger: Ledger
}

export const allRoutes = (deps: Deps, parts: Parts): Route[] => [
  ...tokenRoutes(deps),
  ...publicPollRoutes(deps, parts),
  ...voteRoutes(deps, parts.ledger, parts.pollKeys),
  ...ownerPollRoutes(deps, parts.snapshots),
  ...uploadRoutes(deps),
  ...systemRoutes(deps),
]
