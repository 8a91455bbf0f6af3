// features/campaigns: ordered lists of polls, as the owner and as visitors see them.
// Imports features: brands, polls, tokens.
// A change of the list locks the polls that it adds and removes.

import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { API_PREFIX, type Route, route, writeOnce } from '../../http/route.ts'
import { campaignParams, createCampaignBody, ownedCampaign, updateCampaignBody } from '../../resources/campaign.ts'
import { brandScope } from '../tokens/guards.ts'
import { createCampaign } from './create-campaign.ts'
import { deleteCampaign } from './delete-campaign.ts'
import { campaignTag } from './present-campaign.ts'
import { ownedCampaigns } from './queries.ts'
import { presentOwned, readOwned } from './read-owned.ts'
import { updateCampaign } from './update-campaign.ts'
import { withPolls } from './with-polls.ts'

export function ownerCampaignRoutes(deps: Deps): Route[] {
  const guard = brandScope(deps, 'manage')

  return [
    route({
      method: 'GET',
      path: '/brands/me/campaigns',
      name: 'listOwnCampaigns',
      summary: 'Own campaigns, newest first',
      guard,
      caching: 'private',
      isPaged: true,
      answers: { 200: { description: 'A page of campaigns.', schema: z.array(ownedCampaign) } },
      async handle({ identity: { brandKey }, paging, now }) {
        const { db } = deps.engine
        const { rows, next } = await withPolls(db, await ownedCampaigns(db, { brandKey, paging }))
        return { data: await presentOwned(deps, db, { campaigns: rows, now }), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/campaigns',
      name: 'createCampaign',
      summary: 'Create a campaign',
      guard,
      caching: 'private',
      body: createCampaignBody,
      answers: { 201: { description: 'The new campaign.', schema: ownedCampaign } },
      etag: campaignTag,
      errors: ['INVALID_POLST_OWNERSHIP', 'CAMPAIGN_NAME_TAKEN'],
      async handle({ identity: { brandKey }, body, now }, tx) {
        const campaignId = await createCampaign(deps, tx, { brandKey, campaign: body })
        const location = `${API_PREFIX}/brands/me/campaigns/${campaignId}`
        return { status: 201, data: await readOwned(deps, tx, { brandKey, campaignId, now }), location }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/campaigns/{campaignId}',
      name: 'getOwnCampaign',
      summary: 'An own campaign',
      guard,
      caching: 'private',
      params: campaignParams,
      answers: { 200: { description: 'The campaign.', schema: ownedCampaign } },
      etag: campaignTag,
      errors: ['NOT_FOUND'],
      handle: async ({ identity: { brandKey }, params: { campaignId }, now }) => ({
        data: await readOwned(deps, deps.engine.db, { brandKey, campaignId, now }),
      }),
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/campaigns/{campaignId}',
      name: 'updateCampaign',
      summary: 'Update some fields of a campaign; polstIds replaces the whole list',
      guard,
      caching: 'private',
      params: campaignParams,
      body: updateCampaignBody,
      answers: { 200: { description: 'The campaign as it now is.', schema: ownedCampaign } },
      etag: campaignTag,
      errors: ['NOT_FOUND', 'INVALID_POLST_OWNERSHIP', 'CAMPAIGN_NAME_TAKEN'],
      async handle({ identity: { brandKey }, params: { campaignId }, body, ifMatch, now }, tx) {
        await updateCampaign(deps, tx, { brandKey, campaignId, patch: body, ifMatch })
        return { data: await readOwned(deps, tx, { brandKey, campaignId, now }) }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/campaigns/{campaignId}',
      name: 'deleteCampaign',
      summary: 'Delete a campaign; its polls and their votes stay',
      guard,
      caching: 'private',
      params: campaignParams,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params: { campaignId } }, tx) {
        await deleteCampaign(deps, tx, { brandKey, campaignId })
        return { status: 204 }
      },
    }),
  ]
}
