import { KeptResults } from '../../base/cache.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import type { StatusCounts } from './status-counts.ts'
import { type SummarySources, summaryOf } from './summary.ts'
import { summary, summaryQuery } from './summary-schema.ts'

export function summaryRoutes(deps: Deps, { statusCounts }: { statusCounts: StatusCounts }): Route[] {
  const kept: SummarySources['kept'] = new KeptResults()
  return [
    route({
      method: 'GET',
      path: '/brands/me/summary',
      name: 'getSummary',
      tag: 'Analytics',
      summary: 'Your brand at a glance',
      description:
        'Votes by day, polls by status, the polls with the most votes, and webhooks that fail. The numbers of votes are at most 60 seconds old, the others are those of now.',
      guard: brandScope(deps, 'analytics'),
      caching: 'private',
      query: summaryQuery,
      answers: { 200: { description: 'The numbers.', schema: summary } },
      handle: async ({ identity: { brandKey }, query, now }) => ({
        data: await summaryOf({ deps, statusCounts, kept }, { brandKey, ...query, now }),
      }),
    }),
  ]
}
