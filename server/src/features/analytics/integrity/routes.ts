// features/analytics/integrity: tells a poll's owner how conspicuous its votes are. Nobody is refused or banned here.
// Networks stay in memory, hashed; only numbers of votes are stored.
import type { z } from 'zod'
import { HOUR, iso } from '../../../base/clock.ts'
import { orNotFound } from '../../../base/errors.ts'
import type { Db } from '../../../db/store.ts'
import { pollParams } from '../../../events/resources/poll.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { brandScope } from '../../people/tokens/guards.ts'
import { findOwnedPoll } from '../../polls/queries.ts'
import { MOST_POINTS, type TimeSpan, UTC, WIDTH_OF } from '../buckets.ts'
import { integrityQuery, integrityReport } from '../schema.ts'
import { bucketsOf, countsIn } from '../timeline.ts'
import { assess, type Hour } from './assess.ts'
import { type IntegrityWatch, watchedHours } from './integrity-watch.ts'

type Report = z.infer<typeof integrityReport>

/** One entry for each hour with a vote or a refusal. */
async function reportOf(db: Db, pollKey: number, span: TimeSpan): Promise<Omit<Report, 'votesByCode'>> {
  const watched = await watchedHours(db, pollKey, span)
  // All votes, also those that were not watched.
  const counts = await countsIn(db, pollKey, { span, width: HOUR })
  const votes = new Map(counts.map(({ at, option_a, option_b }) => [at, option_a + option_b]))
  const byHour = new Map(watched.map((hour) => [hour.at, hour]))
  const hours = [...new Set([...votes.keys(), ...byHour.keys()])].sort((a, b) => a - b)
  return {
    ...assess(watched),
    hours: hours.map((at) => presentHour(at, votes.get(at) ?? 0, byHour.get(at))),
  }
}

function presentHour(at: number, votes: number, hour: Hour | undefined): Report['hours'][number] {
  const shareOf = (count: number) => (hour && hour.votes > 0 ? Math.round((1_000 * count) / hour.votes) / 1_000 : null)
  return {
    at: iso(at),
    votes,
    largestNetworkShare: shareOf(hour?.largest ?? 0),
    topTenShare: shareOf(hour?.top_ten ?? 0),
    challenged: hour?.challenged ?? 0,
    withoutOrigin: hour?.without_origin ?? 0,
    refused: {
      rate: hour?.refused_rate ?? 0,
      challenge: hour?.refused_challenge ?? 0,
      origin: hour?.refused_origin ?? 0,
      invalid: hour?.refused_invalid ?? 0,
    },
  }
}

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
      const poll = orNotFound(await findOwnedPoll(deps.engine.db, identity.brandKey, params.slug))
      const earliest = (to ?? now) - (MOST_POINTS - 1) * WIDTH_OF.hour
      const asked = { bucket: 'hour', tz: UTC, from: from ?? earliest, to } as const
      const hours = await bucketsOf(deps.engine.db, poll.key, { asked, now })
      const span = { from: hours.starts[0] ?? hours.to, to: hours.to }
      await watch.store()
      const votesByCode = poll.code_list_key === null ? 0 : poll.option_a + poll.option_b
      return { data: { ...(await reportOf(deps.engine.db, poll.key, span)), votesByCode } }
    },
  }),
]
