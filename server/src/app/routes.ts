import { consentRoutes, grantRoutes } from '../features/agents/consent-routes.ts'
import { mcpRoutes } from '../features/agents/mcp-routes.ts'
import { oauthRoutes } from '../features/agents/oauth-routes.ts'
import type { IntegrityWatch } from '../features/analytics/integrity/integrity-watch.ts'
import { integrityRoutes } from '../features/analytics/integrity/routes.ts'
import { resultRoutes } from '../features/analytics/results.ts'
import { campaignAnalyticsRoutes, pollAnalyticsRoutes } from '../features/analytics/routes.ts'
import { sourceRoutes, viewRoutes } from '../features/analytics/sources/routes.ts'
import type { ViewCounts } from '../features/analytics/sources/view-counts.ts'
import { brandRoutes } from '../features/brands/routes.ts'
import { sourceNameRoutes } from '../features/brands/source-names.ts'
import { ownerCampaignRoutes } from '../features/campaigns/owner-routes.ts'
import { publicCampaignRoutes } from '../features/campaigns/public-routes.ts'
import { guestRoutes, progressRoutes } from '../features/campaigns/respondents/routes.ts'
import { codeListRoutes } from '../features/codes/routes.ts'
import { consoleRoutes } from '../features/console/console-routes.ts'
import { mailStopRoutes } from '../features/console/mail-stop-routes.ts'
import { joinRoutes, oidcRoutes } from '../features/console/sign-in-routes.ts'
import type { Deps } from '../features/deps.ts'
import { logRoutes } from '../features/log/routes.ts'
import { tileRoutes } from '../features/log/tile-routes.ts'
import { operatorRoutes } from '../features/operator/routes.ts'
import type { ServiceParts } from '../features/operator/service-state.ts'
import { docsRoutes } from '../features/pages/docs/routes.ts'
import { type Pages, pageRoutes } from '../features/pages/routes.ts'
import { activityRoutes } from '../features/people/activity/routes.ts'
import { appRoutes } from '../features/people/apps/app-routes.ts'
import type { Mailer } from '../features/people/mail/mailer.ts'
import { mailPreferenceRoutes } from '../features/people/mail/preferences.ts'
import { memberRoutes } from '../features/people/member-routes.ts'
import { passkeyRoutes } from '../features/people/passkeys/routes.ts'
import { sessionRoutes } from '../features/people/sessions/session-routes.ts'
import { tokenRoutes } from '../features/people/tokens/routes.ts'
import { makeVariantsOf } from '../features/polls/make-pictures.ts'
import { ownerPollRoutes, pollPictureRoutes } from '../features/polls/owner-routes.ts'
import type { Popularity } from '../features/polls/popularity.ts'
import { publicPollRoutes } from '../features/polls/public-routes.ts'
import { type LivePolls, streamRoutes } from '../features/polls/streams/stream-route.ts'
import { resultsLinkRoutes } from '../features/results/routes.ts'
import { assetUploadRoutes, uploadRoutes } from '../features/uploads/routes.ts'
import type { Ledger } from '../features/votes/ledger.ts'
import { Readiness } from '../features/votes/readiness.ts'
import { voteRoutes } from '../features/votes/routes.ts'
import { eventFeedRoutes } from '../features/webhooks/event-feed.ts'
import { webhookRoutes } from '../features/webhooks/routes.ts'
import type { Route } from '../http/route.ts'
import { systemRoutes } from './system-routes.ts'

interface Parts extends Pages, LivePolls {
  readonly ledger: Ledger
  readonly watch: IntegrityWatch
  readonly views: ViewCounts
  readonly popularity: Popularity
  readonly mailer: Mailer
  readonly instance: string
  readonly service: Omit<ServiceParts, 'ledger' | 'readiness'>
}

export function allRoutes(deps: Deps, parts: Parts): Route[] {
  const readiness = new Readiness({ engine: deps.engine, ledger: parts.ledger })
  const routes = [
    ...tokenRoutes(deps),
    ...appRoutes(deps),
    ...memberRoutes(deps, parts),
    ...mailPreferenceRoutes(deps),
    ...sessionRoutes(deps, parts),
    ...passkeyRoutes(deps),
    ...brandRoutes(deps),
    ...publicPollRoutes(deps, parts),
    ...streamRoutes(deps, parts),
    ...publicCampaignRoutes(deps, parts.campaigns),
    ...voteRoutes(deps, parts),
    ...logRoutes(deps),
    ...tileRoutes(deps),
    ...progressRoutes(deps),
    ...guestRoutes(deps),
    ...ownerPollRoutes(deps, parts),
    ...ownerCampaignRoutes(deps),
    ...campaignAnalyticsRoutes(deps),
    ...pollPictureRoutes(deps),
    ...assetUploadRoutes(deps),
    ...pollAnalyticsRoutes(deps),
    ...resultRoutes(deps),
    ...integrityRoutes(deps, parts.watch),
    ...sourceNameRoutes(deps),
    ...codeListRoutes(deps),
    ...sourceRoutes(deps),
    ...viewRoutes(deps, parts),
    ...resultsLinkRoutes(deps),
    ...uploadRoutes(deps, (key) => makeVariantsOf(deps, key)),
    ...webhookRoutes(deps),
    ...eventFeedRoutes(deps),
    ...activityRoutes(deps),
    ...grantRoutes(deps),
    ...consentRoutes(deps),
    ...oauthRoutes(deps),
    ...operatorRoutes(deps, { ...parts.service, ledger: parts.ledger, readiness }),
    ...pageRoutes(deps, parts),
    ...docsRoutes(deps, parts),
    ...joinRoutes(),
    ...mailStopRoutes(deps),
    ...consoleRoutes(deps),
    ...oidcRoutes(deps),
    ...systemRoutes(readiness, parts.instance),
  ]
  return [...routes, ...mcpRoutes(deps, routes)]
}
