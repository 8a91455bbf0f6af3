import { notFound } from '../../base/errors.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import { type Route, route } from '../../http/route.ts'
import { findOwnedCampaign } from '../campaigns/queries.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { Funnels, funnel } from './funnel.ts'

export function funnelRoutes(deps: Deps): Route[] {
  const funnels = new Funnels()
  return [
    route({
      method: 'GET',
      path: '/brands/me/campaigns/{campaignId}/funnel',
      name: 'getFunnel',
      tag: 'Analytics',
      summary: 'How many respondents reached each step of a campaign',
      description:
        'One step for each poll that visitors see, in order: drafts, archived and deleted polls are left out, and so are the votes of forgotten devices. Polls can be voted on in any order, so a later step can have more respondents than an earlier one. The numbers are at most 60 seconds old, as `countedAt` tells; a change of the steps shows at once.',
      guard: brandScope(deps, 'analytics'),
      caching: 'private',
      params: campaignParams,
      answers: { 200: { description: 'The steps, and who completed all of them.', schema: funnel } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }) {
        const campaign = await findOwnedCampaign(deps.engine.db, identity.brandKey, params.campaignId)
        if (!campaign) throw notFound()
        return { data: await funnels.of(deps.engine.db, campaign.key, now) }
      },
    }),
  ]
}
