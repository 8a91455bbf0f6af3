// features/analytics: timelines, voters and responses, for the owner of a poll or a campaign.
// Each brand sees device names of its own, and no name for a forgotten device.
import { z } from 'zod'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { exportTooEarly, notFound } from '../../base/errors.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import { pollParams } from '../../events/resources/poll.ts'
import type { Export } from '../../http/answers/export.ts'
import { type Route, route } from '../../http/route.ts'
import { findOwnedCampaign, responsesProgressOf } from '../campaigns/queries.ts'
import type { Deps } from '../deps.ts'
import { forgottenIds, respondentIds } from '../people/tokens/device.ts'
import { type BrandCaller, brandScope } from '../people/tokens/guards.ts'
import { findOwnedPoll } from '../polls/queries.ts'
import { Funnels, funnel } from './funnel.ts'
import { Omissions } from './omissions.ts'
import {
  type Respondent,
  respondent,
  responsesState,
  summary,
  summaryQuery,
  timeline,
  timelineQuery,
  type VoterEvent,
  voterEvent,
} from './schema.ts'
import { type SummarySources, summaryOf } from './summary.ts'
import { bucketsOf, timelineOf } from './timeline.ts'
import {
  allRespondents,
  allVoters,
  presentRespondent,
  presentVoter,
  type RespondentRow,
  respondentsOf,
  type VoterRow,
  votersOf,
} from './voters.ts'

export function campaignAnalyticsRoutes(deps: Deps): Route[] {
  const { engine } = deps
  const guard = brandScope(deps, 'analytics')
  const funnels = new Funnels()
  const omissions = new Omissions(engine)

  async function ownCampaign(identity: BrandCaller, id: string) {
    const campaign = await findOwnedCampaign(engine.db, identity.brandKey, id)
    if (!campaign) throw notFound()
    const idOf = respondentIds(deps, identity)
    return { campaign, present: (row: RespondentRow) => presentRespondent(row, idOf) }
  }

  const progressOf = async (key: number) => (await responsesProgressOf(engine.db, [key]))(key)

  return [
    route({
      method: 'GET',
      path: '/brands/me/campaigns/{campaignId}/responses',
      name: 'listResponses',
      tag: 'Analytics',
      summary: 'The respondents of a campaign, with their votes',
      description:
        'A respondent is a device that has voted on a poll of the campaign. Its id is specific to this brand. Sorted by first vote, newest first. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all respondents, without `limit` and `cursor`, and 503 until `responsesProgress.isComplete`; a brand can download four files at a time.',
      guard,
      caching: 'private',
      params: campaignParams,
      isPaged: true,
      answers: {
        200: {
          description: 'A page of respondents, or a file with all of them.',
          schema: z.array(respondent),
          beside: responsesState,
        },
      },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, paging, now }) {
        const { campaign, present } = await ownCampaign(identity, params.campaignId)
        // Read first: if it was complete, the page is.
        const responsesProgress = await progressOf(campaign.key)
        const { rows, next } = await respondentsOf(engine, { campaignKey: campaign.key, paging })
        const omitted = await omissions.of(campaign.key, now)
        return { data: rows.map(present), next, beside: { responsesProgress, omitted } }
      },
      async exportAll({ identity, params }): Promise<Export<Respondent>> {
        const { campaign, present } = await ownCampaign(identity, params.campaignId)
        if (!(await progressOf(campaign.key)).isComplete) throw exportTooEarly()
        const until = await engine.votingTime(engine.db)
        return {
          filename: `responses-${campaign.id}`,
          columns: ['respondentId', 'startedAt', 'position', 'slug', 'option', 'votedAt'],
          cellsOf: ({ respondentId, startedAt, votes }) =>
            votes.map(({ position, slug, option, votedAt }) => [
              respondentId,
              startedAt,
              position,
              slug,
              option,
              votedAt,
            ]),
          pages: presented(allRespondents(engine, { campaignKey: campaign.key, until }), present),
        }
      },
    }),
    route({
      method: 'GET',
      path: '/brands/me/campaigns/{campaignId}/funnel',
      name: 'getFunnel',
      tag: 'Analytics',
      summary: 'How many respondents reached each step of a campaign',
      description:
        'One step for each poll that visitors see, in order: drafts, archived and deleted polls are left out, and so are the votes of forgotten devices. Polls can be voted on in any order, so a later step can have more respondents than an earlier one. The numbers are at most 60 seconds old, as `countedAt` tells; a change of the steps shows at once.',
      guard,
      caching: 'private',
      params: campaignParams,
      answers: { 200: { description: 'The steps, and who completed the campaign.', schema: funnel } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }) {
        const { campaign } = await ownCampaign(identity, params.campaignId)
        return { data: await funnels.of(engine.db, campaign.key, now) }
      },
    }),
  ]
}

export function pollAnalyticsRoutes(deps: Deps): Route[] {
  const { db } = deps.engine
  const guard = brandScope(deps, 'analytics')
  const kept: SummarySources['kept'] = new KeptResults()

  async function ownPoll(identity: BrandCaller, slug: string) {
    const poll = await findOwnedPoll(db, identity.brandKey, slug)
    if (!poll) throw notFound()
    const names = { ofDevice: respondentIds(deps, identity), ofVote: forgottenIds(deps, identity, poll.id) }
    return { poll, present: (row: VoterRow) => presentVoter(row, names) }
  }

  return [
    route({
      method: 'GET',
      path: '/brands/me/polls/{slug}/voters',
      name: 'listVoters',
      tag: 'Analytics',
      summary: 'The voters of a poll, with their votes',
      description:
        'Sorted by position of the vote, highest first. A forgotten device has a different respondentId for each vote. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all votes, without `limit` and `cursor`; a brand can download four files at a time.',
      guard,
      caching: 'private',
      params: pollParams,
      isPaged: true,
      answers: { 200: { description: 'A page of voters, or a file with all of them.', schema: z.array(voterEvent) } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, paging }) {
        const { poll, present } = await ownPoll(identity, params.slug)
        const { rows, next } = await votersOf(db, { pollKey: poll.key, paging })
        return { data: rows.map(present), next }
      },
      async exportAll({ identity, params }): Promise<Export<VoterEvent>> {
        const { poll, present } = await ownPoll(identity, params.slug)
        return {
          filename: `voters-${poll.slug}`,
          columns: ['respondentId', 'option', 'votedAt', 'position'],
          cellsOf: ({ respondentId, option, votedAt, position }) => [[respondentId, option, votedAt, position]],
          pages: presented(allVoters(db, poll.key), present),
        }
      },
    }),
    route({
      method: 'GET',
      path: '/brands/me/polls/{slug}/timeline',
      name: 'getTimeline',
      tag: 'Analytics',
      summary: 'The votes of a poll over time',
      description:
        'One point for each bucket between `from` and `to`, including buckets without votes, aligned to the time zone `tz`. Where its clocks change, a day has 23 or 25 hours. A week begins on Monday. At most 2,000 points: for a longer span use a larger bucket.',
      guard,
      caching: 'private',
      params: pollParams,
      query: timelineQuery,
      answers: { 200: { description: 'One point for each bucket between `from` and `to`.', schema: timeline } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, query, now }) {
        const { poll } = await ownPoll(identity, params.slug)
        const { starts, to } = await bucketsOf(db, poll.key, { asked: query, now })
        const points = await timelineOf(db, poll.key, { calendar: query, starts, to })
        return { data: { bucket: query.bucket, from: iso(starts[0] ?? to), to: iso(to), points } }
      },
    }),
    route({
      method: 'GET',
      path: '/brands/me/summary',
      name: 'getSummary',
      tag: 'Analytics',
      summary: 'Your brand at a glance',
      description:
        'Votes by day, polls by status, the polls with the most votes, and webhooks that fail. The numbers of votes are at most 60 seconds old, the others are those of now.',
      guard,
      caching: 'private',
      query: summaryQuery,
      answers: { 200: { description: 'The numbers.', schema: summary } },
      handle: async ({ identity: { brandKey }, query, now }) => ({
        data: await summaryOf({ deps, kept }, { brandKey, ...query, now }),
      }),
    }),
  ]
}

async function* presented<Row, Shown>(parts: AsyncIterable<Row[]>, present: (row: Row) => Shown) {
  for await (const rows of parts) yield rows.map(present)
}
