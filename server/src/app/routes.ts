import type { IntegrityWatch } from '../features/analytics/integrity/integrity-watch.ts'
import { integrityRoutes } from '../features/analytics/integrity/routes.ts'
import { campaignAnalyticsRoutes, pollAnalyticsRoutes } from '../features/analytics/routes.ts'
import { brandRoutes } from '../features/brands/routes.ts'
import { ownerCampaignRoutes } from '../features/campaigns/owner-routes.ts'
import { publicCampaignRoutes } from '../features/campaigns/public-routes.ts'
import { guestRoutes, progressRoutes } from '../features/campaigns/respondents/routes.ts'
import { consoleRoutes } from '../features/console/console-routes.ts'
import { joinRoutes, oidcRoutes } from '../features/console/sign-in-routes.ts'
import type { Deps } from '../features/deps.ts'
import { operatorRoutes } from '../features/operator/routes.ts'
import type { ServiceParts } from '../features/operator/service-state.ts'
import { docsRoutes } from '../features/pages/docs/routes.ts'
import { type Pages, pageRoutes } from '../features/pages/routes.ts'
import { activityRoutes } from '../features/people/activity/routes.ts'
import { appRoutes } from '../features/people/apps/app-routes.ts'
import type { Mailer } from '../features/people/mail/mailer.ts'
import { memberRoutes } from '../features/people/member-routes.ts'
import { passkeyRoutes } from '../features/people/passkeys/routes.ts'
import { sessionRoutes } from '../features/people/sessions/session-routes.ts'
import { tokenRoutes } from '../features/people/tokens/routes.ts'
import { makeVariantsOf } from '../features/polls/make-pictures.ts'
import { ownerPollRoutes, pollPictureRoutes } from '../features/polls/owner-routes.ts'
import type { Popularity } from '../features/polls/popularity.ts'
import { publicPollRoutes } from '../features/polls/public-routes.ts'
import { type LivePolls, streamRoutes } from '../features/polls/streams/stream-route.ts'
import { assetUploadRoutes, uploadRoutes } from '../features/uploads/routes.ts'
import type { Ledger } from '../features/votes/ledger.ts'
import { Readiness } from '../features/votes/readiness.ts'
import { voteRoutes } from '../features/votes/routes.ts'
import { webhookRoutes } from '../features/webhooks/routes.ts'
import type { Route } from '../http/route.ts'
import { systemRoutes } from './system-routes.ts'

interface Parts extends Pages, LivePolls {
  readonly ledger: Ledger
  readonly watch: IntegrityWatch
  readonly popularity: Popularity
  readonly mailer: Mailer
  readonly instance: string
  readonly service: Omit<ServiceParts, 'ledger' | 'readiness'>
}

export function allRoutes(deps: Deps, parts: Parts): Route[] {
  const readiness = new Readiness({ engine: deps.engine, ledger: parts.ledger })
  return [
    ...tokenRoutes(deps),
    ...appRoutes(deps),
    ...memberRoutes(deps, parts),
    ...sessionRoutes(deps, parts),
    ...passkeyRoutes(deps),
    ...brandRoutes(deps),
    ...publicPollRoutes(deps, parts),
    ...streamRoutes(deps, parts),
    ...publicCampaignRoutes(deps, parts.campaigns),
    ...voteRoutes(deps, parts),
    ...progressRoutes(deps),
    ...guestRoutes(deps),
    ...ownerPollRoutes(deps, parts),
    ...ownerCampaignRoutes(deps),
    ...campaignAnalyticsRoutes(deps),
    ...pollPictureRoutes(deps),
    ...assetUploadRoutes(deps),
    ...pollAnalyticsRoutes(deps),
    ...integrityRoutes(deps, parts.watch),
    ...uploadRoutes(deps, (key) => makeVariantsOf(deps, key)),
    ...webhookRoutes(deps),
    ...activityRoutes(deps),
    ...operatorRoutes(deps, { ...parts.service, ledger: parts.ledger, readiness }),
    ...pageRoutes(deps, parts),
    ...docsRoutes(deps, parts),
    ...joinRoutes(),
    ...consoleRoutes(deps),
    ...oidcRoutes(deps),
    ...systemRoutes(readiness, parts.instance),
  ]
}
