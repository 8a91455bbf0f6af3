import { z } from 'zod'
import { orNotFound } from '../../base/errors.ts'
import { brandParams } from '../../events/resources/brand.ts'
import { campaignParams, campaignTallies, publicCampaign } from '../../events/resources/campaign.ts'
import { anyone, type Route, route } from '../../http/route.ts'
import { findBrand } from '../brands/brands.ts'
import type { Deps } from '../deps.ts'
import { campaignChangesAt, presentCampaignTallies } from './present-campaign.ts'
import type { PublicCampaigns } from './public-campaigns.ts'
import { type CampaignWithBrand, findPublicCampaign, listedCampaigns, withItsPolls } from './queries.ts'

export function publicCampaignRoutes(deps: Deps, campaigns: PublicCampaigns): Route[] {
  const { db } = deps.engine

  async function find(campaignId: string): Promise<CampaignWithBrand> {
    return orNotFound(await findPublicCampaign(db, campaignId))
  }

  return [
    route({
      method: 'GET',
      path: '/campaigns/{campaignId}',
      name: 'getCampaign',
      tag: 'Campaigns',
      summary: 'A published campaign, with its polls in order',
      description:
        'Draft and archived campaigns are 404. Polls that visitors cannot see are omitted, and `totalSteps` counts the others. `opensAt` and `closesAt` of a campaign do not affect voting: each poll has its own.',
      guard: anyone,
      caching: 'public',
      params: campaignParams,
      answers: { 200: { description: 'The campaign.', schema: publicCampaign } },
      errors: ['NOT_FOUND'],
      async handle({ params, now }) {
        return { ready: await campaigns.find(await find(params.campaignId), now) }
      },
    }),

    route({
      method: 'GET',
      path: '/campaigns/{campaignId}/tallies',
      name: 'getCampaignTallies',
      tag: 'Campaigns',
      summary: 'The counts of the polls of a campaign',
      description:
        'The visible polls of the campaign, in order, without their texts. Poll with `If-None-Match`: the answer is 304 until something changes.',
      guard: anyone,
      caching: 'public',
      params: campaignParams,
      answers: { 200: { description: 'The counts, in the order of the polls.', schema: campaignTallies } },
      errors: ['NOT_FOUND'],
      async handle({ params, now }) {
        const campaign = await withItsPolls(db, await find(params.campaignId))
        return {
          data: presentCampaignTallies(campaign, now),
          changesAt: campaignChangesAt(campaign, now),
        }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/{brandSlug}/campaigns',
      name: 'listPublicCampaigns',
      tag: 'Campaigns',
      summary: "A brand's public campaigns, newest first",
      description:
        'Lists the published campaigns whose `isPublic` is true, with those of their polls that the feed of the brand would list: without private and scheduled ones, which only the campaign itself shows. A page ends early when it has 500 polls.',
      guard: anyone,
      caching: 'public',
      params: brandParams,
      isPaged: true,
      answers: { 200: { description: 'A page of campaigns.', schema: z.array(publicCampaign) } },
      errors: ['NOT_FOUND'],
      async handle({ params, paging, now }) {
        const brand = orNotFound(await findBrand(db, params.brandSlug))
        const listed = await listedCampaigns(db, { brandKey: brand.key, paging })
        return campaigns.page(listed, now)
      },
    }),
  ]
}
