import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { KeptResults } from '../../base/cache.ts'
import { DAY, HOUR, iso, MINUTE } from '../../base/clock.ts'
import { padded } from '../../db/prepared.ts'
import type { Db } from '../../db/store.ts'
import type { Deps } from '../deps.ts'
import { presentListItem } from '../polls/present-poll.ts'
import { mostVoted, windowFilter } from '../polls/queries.ts'
import { type Calendar, inBuckets, startOf, startsIn, stepFrom, type TimeSpan } from './buckets.ts'
import type { Summary } from './schema.ts'
import { pollsOfBrand, viewsByHour } from './sources/view-counts.ts'

const TOP = 5
const POLLS_AT_ONCE = 1_000
/** SQLite takes at most 32,766 parameters. */
const MOST_POLLS = 30_000
/** A part that takes longer is halved. */
const MOST_MS = 3
/** A part grows no further, so that the first one after quiet months is not long. */
const LONGEST = 16 * DAY

export interface SummarySources {
  readonly deps: Deps
  readonly kept: KeptResults<{ readonly total: number; readonly byDay: readonly DayCount[] }>
}

/** Only the votes are kept for a minute: reading them takes longer, the more polls had votes in the span. */
export async function summaryOf(
  { deps, kept }: SummarySources,
  { brandKey, days, tz, now }: { brandKey: number; days: number; tz: string; now: number },
): Promise<Summary> {
  const { db } = deps.engine
  const calendar: Calendar = { bucket: 'day', tz }
  const today = startOf(calendar, now)
  const { value } = await kept.of(`${brandKey} ${tz} ${today} ${days}`, now, () =>
    votesByDay(deps.engine, {
      brandKey,
      calendar,
      from: stepFrom(calendar, today, 1 - 2 * days),
      to: stepFrom(calendar, today),
    }),
  )
  const [span, before] = [value.byDay.slice(-days), value.byDay.slice(0, -days)]
  const top = await mostVoted(db, brandKey, TOP)
  return {
    votes: {
      today: span.at(-1)?.votes ?? 0,
      total: value.total,
      span: sumOf(span, 'votes'),
      before: sumOf(before, 'votes'),
    },
    views: {
      today: span.at(-1)?.views ?? 0,
      span: sumOf(span, 'views'),
      before: sumOf(before, 'views'),
    },
    points: span.map(({ at, votes, views }) => ({ at: iso(at), votes, views })),
    polls: await countByStatus(db, brandKey, now),
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
  readonly views: number
}

const sumOf = (days: readonly DayCount[], what: 'votes' | 'views'): number =>
  days.reduce((sum, day) => sum + day[what], 0)

/** Adds up the counts of the brand's polls, in parts. Polls whose last vote came before the span have none in it. */
async function votesByDay(
  engine: Reader,
  { brandKey, calendar, from, to }: TimeSpan & { brandKey: number; calendar: Calendar },
) {
  const starts = startsIn(calendar, { from, to })
  const pollKeys: number[] = []
  const byDay = starts.map((at) => ({ at, votes: 0, views: 0 }))
  let total = 0
  for await (const keys of pollsOfBrand(engine, brandKey)) {
    for (const { poll_key, votes, updated_at } of await talliesOf(engine.db, keys)) {
      total += votes
      if (votes > 0 && updated_at >= from) pollKeys.push(poll_key)
    }
    for (const [place, { views }] of inBuckets(starts, await viewsByHour(engine.db, keys, { from, to }))) {
      const day = byDay[place]
      if (day) day.views += views
    }
  }
  await eachPart(engine, { pollKeys, span: { from, to } }, async (isCounted, part) => {
    const rows = await engine.db
      .selectFrom('vote_counts')
      .where(isCounted)
      .select(['at', votesOf.as('count')])
      .where('width', '=', HOUR)
      .where('at', '>=', part.from)
      .where('at', '<', part.to)
      .groupBy('at')
      .orderBy('at')
      .execute()
    for (const [place, { count }] of inBuckets(starts, rows)) {
      const day = byDay[place]
      if (day) day.votes += count
    }
  })
  await splitHours(engine, pollKeys, byDay)
  return { total, byDay }
}

type Reader = Pick<Deps['engine'], 'db' | 'name'>

/** A day that begins within an hour: that hour was counted for the day before, or, before the first day, not at all. */
async function splitHours(engine: Reader, pollKeys: number[], byDay: { at: number; votes: number }[]): Promise<void> {
  const places = new Map(byDay.flatMap(({ at }, i) => (at % HOUR === 0 ? [] : [[at, i] as const])))
  const statement = engine.name === 'sqlite' ? lateVotesByTime : lateVotesByPoll
  for (const [late, starts] of Map.groupBy(places.keys(), (at) => at % HOUR)) {
    const begun = starts.map((at) => at - late)
    const span = { from: begun[0] ?? 0, to: (begun.at(-1) ?? 0) + 1 }
    await eachPart(engine, { pollKeys, span }, async (isCounted, part) => {
      const hours = begun.filter((at) => at >= part.from && at < part.to)
      if (hours.length === 0) return
      const { rows } = await statement({ late, hours, isCounted }).execute(engine.db)
      for (const { at, count } of rows) {
        const place = places.get(at + late) ?? 0
        const [day, before] = [byDay[place], byDay[place - 1]]
        if (day) day.votes += count
        if (before) before.votes -= count
      }
    })
  }
}

interface SplitHours {
  /** How late in its hour the day begins. */
  readonly late: number
  readonly hours: readonly number[]
  readonly isCounted: RawBuilder<boolean>
}

const lateVotesByTime = ({ late, hours, isCounted }: SplitHours) => sql<{ at: number; count: number }>`
  select value as at, (select coalesce(${votesOf}, 0) from vote_counts where width = ${MINUTE}
    and at >= value + ${late} and at < value + ${HOUR} and ${isCounted}) as count from json_each(${JSON.stringify(hours)})`

/**
 * Looks up the minutes of those polls alone that had a vote in the hour: on PostgreSQL, each lookup is one in an index. `at + 0`
 * keeps it from looking up each hour of each poll too.
 */
const lateVotesByPoll = ({ late, hours, isCounted }: SplitHours) => sql<{ at: number; count: number }>`
  select at, cast(sum((select coalesce(${votesOf}, 0) from vote_counts as minutes
    where minutes.poll_key = vote_counts.poll_key and minutes.width = ${MINUTE}
      and minutes.at >= vote_counts.at + ${late} and minutes.at < vote_counts.at + ${HOUR})) as bigint) as count
  from vote_counts where ${isCounted} and width = ${HOUR}
    and at >= ${hours[0]} and at <= ${hours.at(-1)} and at + 0 = any(${hours}) group by at`

const votesOf = sql<number>`cast(sum(option_a + option_b) as bigint)`

/** On SQLite, counts are in the order of time: looking them up by poll there would read a page for each. */
const isOneOf = ({ name }: Reader, pollKeys: readonly number[]) =>
  sql<boolean>`${sql.raw(name === 'sqlite' ? '+' : '')}poll_key in (${sql.join(padded(pollKeys))})`

/** On SQLite, a part is a time that takes a few milliseconds to read, for it blocks the event loop; on PostgreSQL, some polls with two months. */
async function eachPart(
  engine: Reader,
  { pollKeys, span }: { pollKeys: readonly number[]; span: TimeSpan },
  read: (isCounted: RawBuilder<boolean>, part: TimeSpan) => Promise<void>,
): Promise<void> {
  const isSqlite = engine.name === 'sqlite'
  const polls = isSqlite ? MOST_POLLS : POLLS_AT_ONCE
  for (let first = 0; first < pollKeys.length; first += polls) {
    const isCounted = isOneOf(engine, pollKeys.slice(first, first + polls))
    let length = isSqlite ? DAY : 60 * DAY
    for (let { from } = span; from < span.to; ) {
      const to = Math.min(from + length, span.to)
      const startedAt = performance.now()
      await read(isCounted, { from, to })
      from = to
      const ms = performance.now() - startedAt
      if (isSqlite && ms < 1) length = Math.min(LONGEST, length * 2)
      if (isSqlite && ms > MOST_MS) length = Math.max(HOUR, length / 2)
      await nextTurn()
    }
  }
}

const talliesOf = (db: Db, pollKeys: readonly number[]) =>
  db
    .selectFrom('tallies')
    .select(['poll_key', 'updated_at', sql<number>`option_a + option_b`.as('votes')])
    .where('poll_key', 'in', padded(pollKeys))
    .execute()

/** A brand has ten webhooks at most. */
async function webhookCounts(db: Db, brandKey: number): Promise<Summary['webhooks']> {
  const hooks = db.selectFrom('webhooks').select(['status', 'failing_since']).where('brand_key', '=', brandKey)
  const rows = await hooks.execute()
  return {
    active: rows.filter(({ status }) => status === 'ACTIVE').length,
    failing: rows.filter(({ failing_since }) => failing_since !== null).length,
  }
}

/** Each poll is counted once. Answered from an index that holds all these columns, without the rows of the polls. */
async function countByStatus(db: Db, brandKey: number, now: number): Promise<Summary['polls']> {
  const isShown = sql<boolean>`archived_at is null and is_draft = 0`
  const countIf = (condition: typeof isShown) =>
    sql<number>`cast(coalesce(sum(case when ${condition} then 1 else 0 end), 0) as bigint)`
  return await db
    .selectFrom('polls')
    .select([
      countIf(sql`${windowFilter.open(now)} and ${isShown}`).as('open'),
      countIf(sql`${windowFilter.scheduled(now)} and ${isShown}`).as('scheduled'),
      countIf(sql`${windowFilter.closed(now)} and ${isShown}`).as('closed'),
      countIf(sql`is_draft = 1 and archived_at is null`).as('draft'),
      sql<number>`count(archived_at)`.as('archived'),
    ])
    .where('brand_key', '=', brandKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
}
