// features/analytics: timelines, voters and responses, for the owner of a poll or a campaign.
// Each brand sees device names of its own, and no name for a forgotten device.
import { z } from 'zod'
import { KeptResults } from '../../base/cache.ts'
import { iso } from '../../base/clock.ts'
import { exportTooEarly, invalidField, notFound, orNotFound } from '../../base/errors.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { type Export, exportQuery } from '../../http/answers/export.ts'
import { type Route, route } from '../../http/route.ts'
import { findOwnedCampaign, responsesProgressOf } from '../campaigns/queries.ts'
import type { Deps } from '../deps.ts'
import { forgottenIds, respondentIds } from '../people/tokens/device.ts'
import { type BrandCaller, brandScope } from '../people/tokens/guards.ts'
import { findOwnedPoll } from '../polls/queries.ts'
import { Crosstabs, crosstab, crosstabQuery } from './crosstab.ts'
import { Funnels, funnel, visibleSteps } from './funnel.ts'
import { Insights, insight } from './insight.ts'
import { labelOf, longResponses, wideResponses } from './response-files.ts'
import {
  type Respondent,
  respondent,
  responsesQuery,
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
  Omissions,
  presentRespondent,
  presentVoter,
  type RespondentRow,
  respondentsOf,
  stepsOf,
  type VoterRow,
  votersOf,
} from './voters.ts'

/** For the brand's own people and apps that may see numbers. */
const ofOwner = (deps: Deps) =>
  ({ method: 'GET', tag: 'Analytics', guard: brandScope(deps, 'analytics'), caching: 'private' }) as const

export function campaignAnalyticsRoutes(deps: Deps): Route[] {
  const { engine } = deps
  const common = ofOwner(deps)
  const funnels = new Funnels()
  const crosstabs = new Crosstabs()
  const omissions = new Omissions(engine)

  async function ownCampaign(identity: BrandCaller, id: string) {
    const campaign = orNotFound(await findOwnedCampaign(engine.db, identity.brandKey, id))
    const idOf = respondentIds(deps, identity)
    return { campaign, present: (row: RespondentRow) => presentRespondent(row, idOf) }
  }

  /** The key of a poll that is a step of the campaign. */
  async function stepKey(identity: BrandCaller, campaignKey: number, reference: string): Promise<number> {
    const poll = await findOwnedPoll(engine.db, identity.brandKey, reference)
    const steps = await visibleSteps(engine.db, campaignKey)
    if (!poll || !steps.some(({ poll_key }) => poll_key === poll.key)) throw notFound()
    return poll.key
  }

  const progressOf = async (key: number) => (await responsesProgressOf(engine.db, [key]))(key)

  return [
    route({
      ...common,
      path: '/brands/me/campaigns/{campaignId}/responses',
      name: 'listResponses',
      summary: 'The respondents of a campaign, with their votes',
      description:
        'A respondent is a device that has voted on a poll of the campaign. Its id is specific to this brand. Sorted by first vote, newest first. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all respondents, without `limit` and `cursor`, and 503 until `responsesProgress.isComplete`; a brand can download four files at a time.',
      params: campaignParams,
      query: responsesQuery,
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
      async exportAll({ identity, params, query }): Promise<Export<Respondent>> {
        const { campaign, present } = await ownCampaign(identity, params.campaignId)
        if (!(await progressOf(campaign.key)).isComplete) throw exportTooEarly()
        const until = await engine.votingTime(engine.db)
        const steps = await stepsOf(engine.db, campaign.key)
        const isWide = query.layout === 'wide'
        const kind = isWide ? 'responses-wide' : 'responses'
        return {
          filename: `${kind}-${campaign.id}`,
          about: { kind, title: campaign.title },
          bom: query.bom,
          ...(isWide ? wideResponses(steps) : longResponses(steps)),
          pages: presented(allRespondents(engine, { campaignKey: campaign.key, until }), present),
        }
      },
    }),
    route({
      ...common,
      path: '/brands/me/campaigns/{campaignId}/funnel',
      name: 'getFunnel',
      summary: 'How many respondents reached each step of a campaign, and what won it',
      description:
        'One step for each poll that visitors see, in order: drafts, archived and deleted polls are left out. `respondents`, `completed` and `inCampaign` leave out the votes of forgotten devices; `result` counts them. Polls can be voted on in any order, so a later step can have more respondents than an earlier one. The numbers are at most 60 seconds old, as `countedAt` tells; a change of the steps shows at once.',
      params: campaignParams,
      answers: { 200: { description: 'The steps, and who completed the campaign.', schema: funnel } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }) {
        const { campaign } = await ownCampaign(identity, params.campaignId)
        return { data: await funnels.of(engine.db, campaign.key, now) }
      },
    }),
    route({
      ...common,
      path: '/brands/me/campaigns/{campaignId}/crosstab',
      name: 'getCrosstab',
      summary: 'How the respondents of one step of a campaign chose on another',
      description:
        'Counts the devices that voted on both polls, wherever they did, without forgotten ones. Both polls are steps of the campaign: a poll that its funnel leaves out is 404. The numbers are at most 60 seconds old, as `countedAt` tells.',
      params: campaignParams,
      query: crosstabQuery,
      answers: { 200: { description: 'The numbers.', schema: crosstab } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, query, now }) {
        if (query.rows === query.columns) throw samePoll()
        const { campaign } = await ownCampaign(identity, params.campaignId)
        const rows = await stepKey(identity, campaign.key, query.rows)
        const columns = await stepKey(identity, campaign.key, query.columns)
        if (rows === columns) throw samePoll()
        return { data: await crosstabs.of(engine.db, { rows, columns }, now) }
      },
    }),
  ]
}

const samePoll = () => invalidField('columns', 'same_poll', 'Must be another poll than `rows`.')

export function pollAnalyticsRoutes(deps: Deps): Route[] {
  const { db } = deps.engine
  const common = ofOwner(deps)
  const kept: SummarySources['kept'] = new KeptResults()
  const insights = new Insights()

  async function ownPoll(identity: BrandCaller, slug: string) {
    const poll = orNotFound(await findOwnedPoll(db, identity.brandKey, slug))
    const [idOf, isByCode] = [respondentIds(deps, identity), poll.code_list_key !== null]
    const names = {
      ofVoter: (voter: Uint8Array, forgottenAt: number | null) => idOf(voter, forgottenAt, isByCode),
      ofVote: forgottenIds(deps, identity, poll.id),
    }
    return { poll, present: (row: VoterRow) => presentVoter(row, names) }
  }

  return [
    route({
      ...common,
      path: '/brands/me/polls/{slug}/voters',
      name: 'listVoters',
      summary: 'The voters of a poll, with their votes',
      description:
        'Sorted by position of the vote, highest first. A forgotten device has a different respondentId for each vote. With `Accept: text/csv` or `application/x-ndjson` the answer is one file with all votes, without `limit` and `cursor`; a brand can download four files at a time.',
      params: pollParams,
      query: exportQuery,
      isPaged: true,
      answers: { 200: { description: 'A page of voters, or a file with all of them.', schema: z.array(voterEvent) } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, paging }) {
        const { poll, present } = await ownPoll(identity, params.slug)
        const { rows, next } = await votersOf(db, { pollKey: poll.key, paging })
        return { data: rows.map(present), next }
      },
      async exportAll({ identity, params, query }): Promise<Export<VoterEvent>> {
        const { poll, present } = await ownPoll(identity, params.slug)
        return {
          filename: `voters-${poll.slug}`,
          about: { kind: 'voters', title: poll.title },
          bom: query.bom,
          columns: ['respondentId', 'option', 'votedAt', 'position', 'label', 'title'],
          cellsOf: ({ respondentId, option, votedAt, position }) => [
            [respondentId, option, votedAt, position, labelOf(poll, option), poll.title],
          ],
          pages: presented(allVoters(db, poll.key), present),
        }
      },
    }),
    route({
      ...common,
      path: '/brands/me/polls/{slug}/timeline',
      name: 'getTimeline',
      summary: 'The votes of a poll over time',
      description:
        'One point for each bucket between `from` and `to`, including buckets without votes, aligned to the time zone `tz`. Where its clocks change, a day has 23 or 25 hours. A week begins on Monday. At most 2,000 points: for a longer span use a larger bucket.',
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
      ...common,
      path: '/brands/me/polls/{slug}/insight',
      name: 'getInsight',
      summary: 'The counts of a poll with what they mean',
      description:
        'The share of option A with its interval, and whether an option is leading or it is too close to call. Counts hidden results, too. `order` says whether the order of the options on cards mattered, `sources` where the votes came from.',
      params: pollParams,
      answers: { 200: { description: 'The numbers.', schema: insight } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }) {
        const { poll } = await ownPoll(identity, params.slug)
        return { data: await insights.of(db, poll, now) }
      },
    }),
    route({
      ...common,
      path: '/brands/me/summary',
      name: 'getSummary',
      summary: 'Your brand at a glance',
      description:
        'Votes by day, polls by status, the polls with the most votes, and webhooks that fail. The numbers of votes are at most 60 seconds old, the others are those of now.',
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
