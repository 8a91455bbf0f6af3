// features/analytics: timelines, voters and responses, for the owner of a poll or a campaign.
// Each brand sees device names of its own, and no name for a forgotten device.

import { iso } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { findOwnedPoll } from '../polls/queries.ts'
import { timeline, timelineQuery } from './poll-schema.ts'
import { bucketsOf, timelineOf } from './timeline.ts'

export const timelineRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/polls/{slug}/timeline',
    name: 'getTimeline',
    tag: 'Analytics',
    summary: 'The votes of a poll over time',
    description:
      'One point for each bucket between `from` and `to`, including buckets without votes, aligned to the time zone `tz`. Where its clocks change, a day has 23 or 25 hours. A week begins on Monday. At most 2,000 points: for a longer span use a larger bucket.',
    guard: brandScope(deps, 'analytics'),
    caching: 'private',
    params: pollParams,
    query: timelineQuery,
    answers: { 200: { description: 'One point for each bucket between `from` and `to`.', schema: timeline } },
    errors: ['NOT_FOUND'],
    async handle({ identity, params, query, now }) {
      const poll = await findOwnedPoll(deps.engine.db, identity.brandKey, params.slug)
      if (!poll) throw notFound()
      const { starts, to } = await bucketsOf(deps.engine.db, poll.key, { asked: query, now })
      const points = await timelineOf(deps.engine.db, poll.key, { calendar: query, starts, to })
      return { data: { bucket: query.bucket, from: iso(starts[0] ?? to), to: iso(to), points } }
    },
  }),
]
