import type { Deps } from '../../deps.ts'
import { type Route, route } from '../../http/route.ts'
import { brandScope } from '../tokens/guards.ts'
import type { StatusCounts } from './status-counts.ts'
import { summaryOf } from './summary.ts'
import { summary, summaryQuery } from './summary-schema.ts'

export const summaryRoutes = (deps: Deps, { statusCounts }: { statusCounts: StatusCounts }): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/summary',
    name: 'getSummary',
    tag: 'Analytics',
    summary: 'Your brand at a glance',
    description:
      'Votes by day, polls by status, the polls with the most votes, and webhooks that fail. Fast however many polls and votes there are.',
    guard: brandScope(deps, 'analytics'),
    caching: 'private',
    query: summaryQuery,
    answers: { 200: { description: 'The numbers of now.', schema: summary } },
    handle: async ({ identity: { brandKey }, query, now }) => ({
      data: await summaryOf({ deps, statusCounts }, { brandKey, ...query, now }),
    }),
  }),
]
