import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { anyone } from '../../http/guard.ts'
import { type Route, route } from '../../http/route.ts'
import { brandParams } from '../../resources/brand.ts'
import { campaignParams, campaignTallies, publicCampaign } from '../../resources/campaign.ts'
import { findBrand } from '../brands/queries.ts'
import { earliest } from '../polls/status.ts'
import { campaignChangesAt, presentCampaignTallies, presentPublicCampaign } from './present-campaign.ts'
import { findPublicCampaign, listedCampaigns } from './queries.ts'
import { type CampaignWithPolls, withItsPolls, withPolls } from './with-polls.ts'

export function publicCampaignRoutes(deps: Deps): Route[] {
  const { db } = deps.engine

  async function find(campaignId: string): Promise<CampaignWithPolls> {
    const row = await findPublicCampaign(db, campaignId)
    if (!row) throw notFound()
    return withItsPolls(db, row)
  }

  return [
    route({
      method: 'GET',
      path: '/campaigns/{campaignId}',
      name: 'getCampaign',
      summary: 'A published campaign, with its polls in order',
      guard: anyone,
      caching: 'public',
      params: campaignParams,
      answers: { 200: { description: 'The campaign.', schema: publicCampaign } },
      errors: ['NOT_FOUND'],
      async handle({ params, now }) {
        const campaign = await find(params.campaignId)
        return { data: presentPublicCampaign(campaign, { deps, now }), changesAt: campaignChangesAt(campaign, now) }
      },
    }),

    route({
      method: 'GET',
      path: '/campaigns/{campaignId}/tallies',
      name: 'getCampaignTallies',
      summary: 'The counts of the polls of a campaign',
      guard: anyone,
      caching: 'public',
      params: campaignParams,
      answers: { 200: { description: 'The counts, in the order of the polls.', schema: campaignTallies } },
      errors: ['NOT_FOUND'],
      async handle({ params, now }) {
        const campaign = await find(params.campaignId)
        return { data: presentCampaignTallies(campaign, now), changesAt: campaignChangesAt(campaign, now) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/{brandSlug}/campaigns',
      name: 'listPublicCampaigns',
      summary: "A brand's public campaigns, newest first",
      guard: anyone,
      caching: 'public',
      params: brandParams,
      isPaged: true,
      answers: { 200: { description: 'A page of campaigns.', schema: z.array(publicCampaign) } },
      errors: ['NOT_FOUND'],
      async handle({ params, paging, now }) {
        const brand = await findBrand(db, params.brandSlug)
        if (!brand) throw notFound()
        const { rows, next } = await withPolls(db, await listedCampaigns(db, { brandKey: brand.key, paging }))
        return {
          data: rows.map((campaign) => presentPublicCampaign(campaign, { deps, now })),
          next,
          changesAt: earliest(rows.map((campaign) => campaignChangesAt(campaign, now))),
        }
      },
    }),
  ]
}
