import { z } from 'zod'
import { notFound } from '../../base/errors.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import type { Export } from '../../http/answers/export.ts'
import { type Route, route } from '../../http/route.ts'
import { findOwnedCampaign } from '../campaigns/queries.ts'
import type { Deps } from '../deps.ts'
import { respondentIds } from '../people/tokens/device.ts'
import { type BrandCaller, brandScope } from '../people/tokens/guards.ts'
import { allRespondents, type RespondentRow, respondentsOf } from './respondent-list.ts'
import { type Respondent, respondent } from './schema.ts'
import { presentRespondent } from './voters.ts'

const COLUMNS = ['respondentId', 'startedAt', 'position', 'slug', 'option', 'votedAt'] as const

export function responseRoutes(deps: Deps): Route[] {
  const { engine } = deps

  async function ownCampaign(identity: BrandCaller, id: string) {
    const campaign = await findOwnedCampaign(engine.db, identity.brandKey, id)
    if (!campaign) throw notFound()
    const idOf = respondentIds(deps, identity)
    return { campaign, present: (row: RespondentRow) => presentRespondent(row, idOf) }
  }

  return [
    route({
      method: 'GET',
      path: '/brands/me/campaigns/{campaignId}/responses',
      name: 'listResponses',
      tag: 'Analytics',
      summary: 'The respondents of a campaign, with their votes',
      description:
        'A respondent is a device that has voted on a poll of the campaign. Its id is specific to this brand. Sorted by first vote, newest first. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all respondents, without `limit` and `cursor`; a brand can download four files at a time.',
      guard: brandScope(deps, 'analytics'),
      caching: 'private',
      params: campaignParams,
      isPaged: true,
      answers: {
        200: { description: 'A page of respondents, or a file with all of them.', schema: z.array(respondent) },
      },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, paging }) {
        const { campaign, present } = await ownCampaign(identity, params.campaignId)
        const { rows, next } = await respondentsOf(engine, { campaignKey: campaign.key, paging })
        return { data: rows.map(present), next }
      },
      async exportAll({ identity, params }): Promise<Export<Respondent>> {
        const { campaign, present } = await ownCampaign(identity, params.campaignId)
        const until = await engine.votingTime(engine.db)
        return {
          filename: `responses-${campaign.id}`,
          columns: COLUMNS,
          cellsOf: ({ respondentId, startedAt, votes }) =>
            votes.map(({ position, slug, option, votedAt }) => [
              { id: respondentId },
              startedAt,
              position,
              slug,
              option,
              votedAt,
            ]),
          pages: pagesOf(allRespondents(engine, { campaignKey: campaign.key, until }), present),
        }
      },
    }),
  ]
}

async function* pagesOf(parts: AsyncIterable<RespondentRow[]>, present: (row: RespondentRow) => Respondent) {
  for await (const rows of parts) yield rows.map(present)
}
