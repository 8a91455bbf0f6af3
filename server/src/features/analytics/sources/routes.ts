// features/analytics/sources: where votes and views came from: declared places, counted by hour.
import { z } from 'zod'
import { KeptResults } from '../../../base/cache.ts'
import { DAY } from '../../../base/clock.ts'
import { AppError, notFound, orNotFound } from '../../../base/errors.ts'
import { campaignParams } from '../../../events/resources/campaign.ts'
import { pollParams } from '../../../events/resources/poll.ts'
import { header } from '../../../http/incoming.ts'
import { quotaOf } from '../../../http/limits/limits.ts'
import { anyone, type Route, route } from '../../../http/route.ts'
import { findOwnedCampaign } from '../../campaigns/queries.ts'
import type { Deps } from '../../deps.ts'
import { brandScope, networkKey } from '../../people/tokens/guards.ts'
import { findOwnedPoll } from '../../polls/queries.ts'
import type { PollKeys } from '../../polls/snapshots/poll-keys.ts'
import type { PollSnapshots } from '../../polls/snapshots/poll-snapshots.ts'
import { mayVoteFrom } from '../../votes/may-vote-from.ts'
import { attributionInput } from '../../votes/schema.ts'
import { hoursOf, type SourceRow, source, sourcesOf, sourcesOfCampaign, sourcesQuery } from './sources.ts'
import { pollsOfBrand, type ViewCounts } from './view-counts.ts'

export function viewRoutes(
  deps: Deps,
  { pollKeys, snapshots, views }: { pollKeys: PollKeys; snapshots: PollSnapshots; views: ViewCounts },
): Route[] {
  const { config, keys } = deps
  const quota = quotaOf('views', config)
  return [
    route({
      method: 'POST',
      path: '/polls/{slug}/views',
      name: 'countView',
      tag: 'Analytics',
      summary: 'Count that a visitor has seen a poll',
      description:
        'Takes no body and no device, and stores nothing about the visitor: views are counts by poll, source, campaign and hour. They are stored every five seconds, so they are approximate. Elements and pages send it once for each page, when half of the poll has been in view for half a second.',
      guard: anyone,
      caching: 'private',
      params: pollParams,
      query: z.object(attributionInput),
      async limits({ incoming: { network }, params }) {
        const pollKey = params ? await pollKeys.find(params.slug) : null
        return [{ quota, key: networkKey({ keys }, network), within: pollKey ?? 0 }]
      },
      answers: { 204: { description: 'The view is counted.' } },
      errors: ['NOT_FOUND', 'ORIGIN_NOT_ALLOWED', 'RATE_LIMITED'],
      async handle({ incoming, params, query }) {
        const pollKey = await pollKeys.find(params.slug)
        const poll = pollKey === null ? null : await snapshots.find(pollKey)
        if (pollKey === null || poll === null) throw notFound()
        if (!mayVoteFrom(header(incoming, 'origin'), poll, config)) throw new AppError('ORIGIN_NOT_ALLOWED')
        // Polls with codes keep no source.
        views.count(pollKey, poll.codeListKey === null ? query : { ...query, source: undefined })
        return { status: 204 }
      },
    }),
  ]
}

/** By default of a brand's sources, whose counts grow with its polls. */
const BRAND_DAYS = 30

export function sourceRoutes(deps: Deps): Route[] {
  const { engine } = deps
  const { db } = engine
  const common = { method: 'GET', tag: 'Analytics', guard: brandScope(deps, 'analytics'), caching: 'private' } as const
  const answers = { 200: { description: 'Each source, most votes first, and `other` last.', schema: z.array(source) } }
  const kept = new KeptResults<SourceRow[]>()

  return [
    route({
      path: '/brands/me/polls/{slug}/sources',
      name: 'getPollSources',
      ...common,
      summary: 'Where the votes of a poll came from',
      description:
        'Views and votes by source, in whole hours, from the beginning by default. Sources with fewer than ten votes in that time are part of `other`, and so is everything from before a source was declared.',
      params: pollParams,
      query: sourcesQuery,
      answers,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, query, now }) {
        const poll = orNotFound(await findOwnedPoll(db, brandKey, params.slug))
        return { data: await sourcesOf(db, [[poll.key]], { brandKey, span: hoursOf(query, now) }) }
      },
    }),
    route({
      path: '/brands/me/sources',
      name: 'getBrandSources',
      ...common,
      summary: 'Where the votes on all your polls came from',
      description:
        'Like the sources of a poll, over all polls that are not deleted. By default the last 30 days. At most 60 seconds old.',
      query: sourcesQuery,
      answers,
      async handle({ identity: { brandKey }, query, now }) {
        const from = query.from ?? (query.to ?? now) - BRAND_DAYS * DAY
        const span = hoursOf({ ...query, from }, now)
        const { value } = await kept.of(`${brandKey} ${span.from} ${span.to}`, now, () =>
          sourcesOf(db, pollsOfBrand(engine, brandKey), { brandKey, span }),
        )
        return { data: value }
      },
    }),
    route({
      path: '/brands/me/campaigns/{campaignId}/sources',
      name: 'getCampaignSources',
      ...common,
      summary: 'Where the visitors of a campaign came from',
      description:
        'Like the sources of a poll, with the views and votes that were sent with this campaign: those of its pages and elements, not those on its polls elsewhere.',
      params: campaignParams,
      query: sourcesQuery,
      answers,
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, query, now }) {
        const campaign = orNotFound(await findOwnedCampaign(db, brandKey, params.campaignId))
        return { data: await sourcesOfCampaign(db, campaign.key, { brandKey, span: hoursOf(query, now) }) }
      },
    }),
  ]
}
