import type { z } from 'zod'
import { iso } from '../../../base/clock.ts'
import type { Db } from '../../../db/store.ts'
import type { TimeSpan } from '../buckets.ts'
import { assess, type Hour } from './assess.ts'
import { votesByHour, watchedHours } from './queries.ts'
import type { integrityReport } from './schema.ts'

type Report = z.infer<typeof integrityReport>

/** One entry for each hour with a vote or a refusal. */
export async function reportOf(db: Db, pollKey: number, span: TimeSpan): Promise<Report> {
  const watched = await watchedHours(db, pollKey, span)
  const votes = await votesByHour(db, pollKey, span)
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
