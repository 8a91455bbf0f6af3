import { sql } from 'kysely'
import { Cache } from '../../base/cache.ts'
import { HOUR, iso, QUARTER } from '../../base/clock.ts'
import type { Db } from '../../db/store.ts'
import type { Deps } from '../../deps.ts'
import { ALL_TIME } from '../polls/brand-votes.ts'
import { presentListItem } from '../polls/present-poll.ts'
import { mostVoted } from '../polls/queries.ts'
import { type Calendar, startOf, startsIn, stepFrom } from './buckets.ts'
import { countsByBucket } from './counts-by-bucket.ts'
import type { StatusCounts } from './status-counts.ts'
import type { Summary } from './summary-schema.ts'

const TOP = 5

interface SummaryRequest {
  readonly brandKey: number
  readonly days: number
  readonly tz: string
  readonly now: number
}

interface Sources {
  readonly deps: Deps
  readonly statusCounts: StatusCounts
}

/** Reads counts that are kept, never votes: its cost depends on the days and on the number of polls alone. */
export async function summaryOf(
  { deps, statusCounts }: Sources,
  { brandKey, days, tz, now }: SummaryRequest,
): Promise<Summary> {
  const { db } = deps.engine
  const { span, before } = await votesByDay(db, { brandKey, days, tz, now })
  const top = await mostVoted(db, brandKey, TOP)
  return {
    votes: {
      today: span.at(-1)?.votes ?? 0,
      total: await allVotes(db, brandKey),
      span: sumOf(span),
      before: sumOf(before),
    },
    points: span.map(({ at, votes }) => ({ at: iso(at), votes })),
    polls: await statusCounts.of(db, brandKey, now),
    top: top
      .map((row) => ({
        poll: presentListItem(row, { deps, viewer: 'owner', now }),
        votes: row.option_a + row.option_b,
      }))
      .toSorted((left, right) => right.votes - left.votes),
    webhooks: await webhookCounts(db, brandKey),
  }
}

interface DayCount {
  readonly at: number
  readonly votes: number
}

const sumOf = (days: readonly DayCount[]): number => days.reduce((sum, { votes }) => sum + votes, 0)

interface Days {
  readonly starts: readonly number[]
  readonly to: number
}

const MOST_CALENDARS = 100
const calendars = new Cache<string, Days>(MOST_CALENDARS)

/** Kept for the day: finding two years of local days takes longer than reading their counts. */
function daysUntil(calendar: Calendar, today: number, count: number): Days {
  const name = `${calendar.tz} ${today} ${count}`
  const kept = calendars.get(name)
  if (kept) return kept
  const to = stepFrom(calendar, today)
  const days = { starts: startsIn(calendar, { from: stepFrom(calendar, today, 1 - count), to }), to }
  calendars.set(name, days)
  return days
}

async function votesByDay(db: Db, { brandKey, days, tz, now }: SummaryRequest) {
  const calendar: Calendar = { bucket: 'day', tz }
  const today = startOf(calendar, now)
  const { starts, to } = daysUntil(calendar, today, 2 * days)
  const counts = await countsByBucket({ calendar, starts, to, finest: QUARTER }, ({ span, width, start }) =>
    db
      .selectFrom('brand_vote_counts')
      .select([start.as('start'), sql<number>`cast(sum(votes) as bigint)`.as('votes')])
      .where('brand_key', '=', brandKey)
      .where('width', '=', width === HOUR ? HOUR : QUARTER)
      .where('at', '>=', span.from)
      .where('at', '<', span.to)
      .groupBy('start')
      .execute(),
  )
  const all = starts.map((at, i) => ({ at, votes: counts[i]?.votes ?? 0 }))
  return { span: all.slice(-days), before: all.slice(0, -days) }
}

async function allVotes(db: Db, brandKey: number): Promise<number> {
  const row = await db
    .selectFrom('brand_vote_counts')
    .select('votes')
    .where('brand_key', '=', brandKey)
    .where('width', '=', ALL_TIME)
    .where('at', '=', 0)
    .executeTakeFirst()
  return row?.votes ?? 0
}

/** A brand has ten webhooks at most. */
async function webhookCounts(db: Db, brandKey: number): Promise<Summary['webhooks']> {
  const hooks = db.selectFrom('webhooks').select(['status', 'failing_since']).where('brand_key', '=', brandKey)
  const rows = await hooks.execute()
  return {
    active: rows.filter(({ status }) => status === 'ACTIVE').length,
    failing: rows.filter(({ failing_since }) => failing_since !== null).length,
  }
}
