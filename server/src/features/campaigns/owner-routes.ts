// features/campaigns: ordered lists of polls, as the owner and as visitors see them.
// A change of the list locks the polls that it adds and removes.

import { z } from 'zod'
import type { ActivitySubject } from '../../events/activity.ts'
import {
  campaignParams,
  createCampaignBody,
  type OwnedCampaign,
  ownedCampaign,
  updateCampaignBody,
} from '../../events/resources/campaign.ts'
import { API_PREFIX, type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { createCampaign } from './create-campaign.ts'
import { deleteCampaign } from './delete-campaign.ts'
import { campaignTag, presentOwned, readOwned } from './present-campaign.ts'
import { ownedCampaigns, withPolls } from './queries.ts'
import { updateCampaign } from './update-campaign.ts'

export function ownerCampaignRoutes(deps: Deps): Route[] {
  const guard = brandScope(deps, 'manage')
  const { db } = deps.engine

  return [
    route({
      method: 'GET',
      path: '/brands/me/campaigns',
      name: 'listOwnCampaigns',
      tag: 'Campaigns',
      summary: 'Your campaigns, newest first',
      description:
        'Includes draft and archived campaigns, each with its polls and the ids of the polls that visitors do not see.',
      guard,
      caching: 'revalidated',
      isPaged: true,
      answers: { 200: { description: 'A page of campaigns.', schema: z.array(ownedCampaign) } },
      async handle({ identity: { brandKey }, paging, now }) {
        const { rows, next } = await withPolls(db, await ownedCampaigns(db, { brandKey, paging }))
        return { data: await presentOwned(deps, db, { campaigns: rows, now }), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/campaigns',
      name: 'createCampaign',
      action: 'campaign.created',
      tag: 'Campaigns',
      summary: 'Create a campaign',
      description:
        'Every poll must belong to the brand and must not be deleted or archived. A poll can be in at most 20 campaigns. A background job adds existing votes of the polls to the responses. Emits `campaign.created`.',
      guard,
      caching: 'private',
      body: createCampaignBody,
      answers: { 201: { description: 'The new campaign.', headers: { always: ['Location'] }, schema: ownedCampaign } },
      etag: campaignTag,
      errors: ['INVALID_POLST_OWNERSHIP', 'CAMPAIGN_NAME_TAKEN'],
      async handle({ identity: { brandKey }, body, now }, tx) {
        const campaignId = await createCampaign(deps, tx, { brandKey, campaign: body })
        const location = `${API_PREFIX}/brands/me/campaigns/${campaignId}`
        const data = await readOwned(deps, tx, { brandKey, campaignId, now })
        return { status: 201, data, location, subject: campaignSubject(data) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/campaigns/{campaignId}',
      name: 'getOwnCampaign',
      tag: 'Campaigns',
      summary: 'One of your campaigns',
      description:
        'The campaign as its owner sees it, in every state, with the ids of the polls that visitors do not see. Use the ETag as `If-Match`.',
      guard,
      caching: 'revalidated',
      params: campaignParams,
      answers: { 200: { description: 'The campaign.', schema: ownedCampaign } },
      etag: campaignTag,
      errors: ['NOT_FOUND'],
      handle: async ({ identity: { brandKey }, params: { campaignId }, now }) => ({
        data: await readOwned(deps, db, { brandKey, campaignId, now }),
      }),
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/campaigns/{campaignId}',
      name: 'updateCampaign',
      action: 'campaign.updated',
      tag: 'Campaigns',
      summary: 'Update a campaign',
      description:
        'Changes only the fields in the body; `polstIds` replaces the whole list and its order. Emits `campaign.updated`.',
      guard,
      caching: 'private',
      params: campaignParams,
      body: updateCampaignBody,
      answers: { 200: { description: 'The campaign after the change.', schema: ownedCampaign } },
      etag: campaignTag,
      errors: ['NOT_FOUND', 'INVALID_POLST_OWNERSHIP', 'CAMPAIGN_NAME_TAKEN'],
      async handle({ identity: { brandKey }, params: { campaignId }, body, ifMatch, now }, tx) {
        const isChanged = await updateCampaign(deps, tx, { brandKey, campaignId, patch: body, ifMatch })
        const data = await readOwned(deps, tx, { brandKey, campaignId, now })
        return { data, subject: isChanged ? campaignSubject(data) : null }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/campaigns/{campaignId}',
      name: 'deleteCampaign',
      action: 'campaign.deleted',
      tag: 'Campaigns',
      summary: 'Delete a campaign',
      description:
        'This cannot be undone. The polls of the campaign, their votes and their links stay. Emits `campaign.deleted`.',
      guard,
      caching: 'private',
      params: campaignParams,
      answers: { 204: { description: 'Deleted.' } },
      etag: campaignTag,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params: { campaignId }, ifMatch }, tx) {
        const title = await deleteCampaign(deps, tx, { brandKey, campaignId, ifMatch })
        return { status: 204, subject: campaignSubject({ campaignId, title }) }
      },
    }),
  ]
}

const campaignSubject = ({ campaignId, title }: Pick<OwnedCampaign, 'campaignId' | 'title'>): ActivitySubject => ({
  kind: 'campaign',
  id: campaignId,
  title,
})
