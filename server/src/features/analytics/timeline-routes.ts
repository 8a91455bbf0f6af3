// features/analytics: timelines, voters and responses, for the owner of a poll or a campaign.
// Imports features: campaigns, guests, polls, tokens.
// Each brand sees device names of its own, and no name for a forgotten device.

import { iso } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Deps } from '../../deps.ts'
import { type Route, route } from '../../http/route.ts'
import { pollParams } from '../../resources/poll.ts'
import { findOwnedPoll } from '../polls/queries.ts'
import { brandScope } from '../tokens/guards.ts'
import { timeline, timelineQuery } from './poll-schema.ts'
import { spanOf, timelineOf } from './timeline.ts'

export const timelineRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/polls/{slug}/timeline',
    name: 'getTimeline',
    summary: 'How many votes each minute, hour or day brought an own poll, in UTC',
    guard: brandScope(deps, 'analytics'),
    caching: 'private',
    params: pollParams,
    query: timelineQuery,
    answers: { 200: { description: 'A point for each bucket from `from` up to `to`.', schema: timeline } },
    errors: ['NOT_FOUND'],
    async handle({ identity, params, query, now }) {
      const { db } = deps.engine
      const poll = await findOwnedPoll(db, identity.brandKey, params.slug)
      if (!poll) throw notFound()
      const { bucket } = query
      const span = await spanOf(db, poll.key, { asked: query, now })
      const points = await timelineOf(db, poll.key, { bucket, span })
      return { data: { bucket, from: iso(span.from), to: iso(span.to), points } }
    },
  }),
]
