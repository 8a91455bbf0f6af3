// features/analytics/integrity: tells a poll's owner how conspicuous its votes are. Nobody is refused or banned here.
// Networks stay in memory, hashed; only numbers of votes are stored.

import { notFound } from '../../../base/errors.ts'
import { pollParams } from '../../../events/resources/poll.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { brandScope } from '../../people/tokens/guards.ts'
import { findOwnedPoll } from '../../polls/queries.ts'
import { MOST_POINTS, WIDTH_OF } from '../buckets.ts'
import { UTC } from '../time-zone.ts'
import { bucketsOf } from '../timeline.ts'
import type { IntegrityWatch } from './integrity-watch.ts'
import { reportOf } from './report.ts'
import { integrityQuery, integrityReport } from './schema.ts'

export const integrityRoutes = (deps: Deps, watch: IntegrityWatch): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/polls/{slug}/integrity',
    name: 'getIntegrity',
    tag: 'Analytics',
    summary: 'How conspicuous the votes of a poll are',
    description:
      'Each hour with a vote or a refusal between `from` and `to`, aligned to UTC, at most 2,000 hours. Votes of the last seconds may be missing if another server counted them. Addresses are not stored, nor hashes of them.',
    guard: brandScope(deps, 'analytics'),
    caching: 'private',
    params: pollParams,
    query: integrityQuery,
    answers: { 200: { description: 'The report.', schema: integrityReport } },
    errors: ['NOT_FOUND'],
    async handle({ identity, params, query: { from, to }, now }) {
      const poll = await findOwnedPoll(deps.engine.db, identity.brandKey, params.slug)
      if (!poll) throw notFound()
      const earliest = (to ?? now) - (MOST_POINTS - 1) * WIDTH_OF.hour
      const asked = { bucket: 'hour', tz: UTC, from: from ?? earliest, to } as const
      const hours = await bucketsOf(deps.engine.db, poll.key, { asked, now })
      const span = { from: hours.starts[0] ?? hours.to, to: hours.to }
      await watch.store()
      return { data: await reportOf(deps.engine.db, poll.key, span) }
    },
  }),
]
