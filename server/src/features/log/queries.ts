import { sql } from 'kysely'
import type { Bytes } from '../../base/secrets.ts'
import { prepared } from '../../db/prepared.ts'
import type { Db, Engine } from '../../db/store.ts'
import type { OptionName } from '../../db/tables.ts'
import { referenceOf } from '../polls/queries.ts'
import { type LoggedVote, leafHashOf } from './entries.ts'

/** A constant, because SQLite matches the partial index `poll_logs_live` only by its literal condition. */
export const isLive = sql<boolean>`poll_logs.ended_at is null`

/** Must agree with `areResultsHidden`: a hidden log is not found, so that it costs and says what a missing one does. */
const isPublic = (
  now: number,
) => sql<boolean>`(polls.results_visibility = 'always' or (polls.results_visibility = 'after_close'
  and (polls.closes_at <= ${now} or polls.archived_at is not null)))`

const publishedPolls = (db: Db) =>
  db
    .selectFrom('polls')
    .innerJoin('brands', 'brands.key', 'polls.brand_key')
    .where('polls.deleted_at', 'is', null)
    .where('polls.is_draft', '=', 0)
    .where('brands.deleted_at', 'is', null)

const liveLogs = (db: Db) =>
  publishedPolls(db)
    .innerJoin('poll_logs', 'poll_logs.poll_key', 'polls.key')
    .innerJoin('poll_log_keys', 'poll_log_keys.poll_key', 'polls.key')
    .select(['polls.id', 'polls.slug', 'polls.short_id', 'polls.title', 'polls.label_a', 'polls.label_b'])
    .select(['poll_logs.key', 'poll_logs.poll_key', 'poll_logs.generation', 'poll_logs.origin', 'poll_logs.size'])
    .select(['poll_logs.peaks', 'poll_logs.started_at', 'poll_logs.checkpoint_at', 'poll_log_keys.sealed'])
    .where(isLive)

export type LogRow = NonNullable<Awaited<ReturnType<typeof findLogAt>>>

/** The log of a poll that the public sees, or that a brand owns. */
export function findLog(db: Db, reference: string, viewer: { readonly now: number } | { readonly brandKey: number }) {
  const { column, value } = referenceOf(reference)
  const logs = liveLogs(db).where(column, '=', value)
  const seen =
    'brandKey' in viewer ? logs.where('polls.brand_key', '=', viewer.brandKey) : logs.where(isPublic(viewer.now))
  return seen.modifyEnd(prepared).executeTakeFirst()
}

/** `now` is null for a caller who may see a log that is hidden from the public. */
export function findLogAt(
  db: Db,
  { pollId, generation, now }: { pollId: string; generation: string; now: number | null },
) {
  const logs = liveLogs(db).where('polls.id', '=', pollId).where('poll_logs.generation', '=', generation)
  return (now === null ? logs : logs.where(isPublic(now))).modifyEnd(prepared).executeTakeFirst()
}

/** For a receipt: the log may not have begun. */
export function findReceiptPoll(db: Db, reference: string) {
  const { column, value } = referenceOf(reference)
  return publishedPolls(db)
    .leftJoin('poll_logs', (join) => join.onRef('poll_logs.poll_key', '=', 'polls.key').on(isLive))
    .leftJoin('poll_log_keys', 'poll_log_keys.poll_key', 'polls.key')
    .select(['polls.key as poll_key', 'polls.results_visibility', 'polls.opens_at', 'polls.closes_at'])
    .select(['polls.archived_at', 'polls.code_list_key', 'poll_logs.key', 'origin', 'size', 'peaks', 'sealed'])
    .where(column, '=', value)
    .modifyEnd(prepared)
    .executeTakeFirst()
}

export const earlierLogs = (db: Db, pollKey: number) =>
  db
    .selectFrom('poll_logs')
    .select(['origin', 'size', 'ended_at'])
    .where('poll_key', '=', pollKey)
    .where('ended_at', 'is not', null)
    .orderBy('key')
    .modifyEnd(prepared)
    .execute()

interface Span {
  readonly pollKey: number
  /** Positions after `from`, up to `to`. */
  readonly from: number
  readonly to: number
}

const votesIn = (db: Db, { pollKey, from, to }: Span) =>
  db
    .selectFrom('votes')
    .select(['option', 'device'])
    .where('poll_key', '=', pollKey)
    .where('position', '>', from)
    .where('position', '<=', to)
    .orderBy('position')
    .modifyEnd(prepared)

type Read = Pick<Engine, 'db' | 'name'>

/** In one row of PostgreSQL, whose client reads a thousand rows in more time than it takes to hash them. */
async function votesInOneRow(db: Db, span: Span): Promise<LoggedVote[]> {
  const joined = await votesIn(db, span)
    .clearSelect()
    .clearOrderBy()
    .select(sql<string | null>`string_agg(option, '' order by position)`.as('options'))
    .select(sql<Buffer | null>`string_agg(device, '' order by position)`.as('devices'))
    .executeTakeFirst()
  const { options, devices } = joined ?? {}
  if (!options || !devices) return []
  const bytes = devices.length / options.length
  return Array.from(options, (option, i) => ({
    option: option as OptionName,
    device: devices.subarray(i * bytes, (i + 1) * bytes),
  }))
}

/** Ends before a position that is missing: the log has no entry to put in its place. */
export async function votesAt({ db, name }: Read, span: Span): Promise<LoggedVote[]> {
  const votes = name === 'postgres' ? await votesInOneRow(db, span) : await votesIn(db, span).execute()
  // Positions differ, so as many rows as positions leave no gap. The job reads positions only where some are missing.
  if (votes.length === span.to - span.from) return votes
  const placed = await votesIn(db, span).select('position').execute()
  const gap = placed.findIndex(({ position }, i) => position !== span.from + 1 + i)
  return gap < 0 ? placed : placed.slice(0, gap)
}

/** The tile with this number of a level from 1 on; without hashes if there is none. */
export async function tileAt(
  db: Db,
  { logKey, level, number }: { logKey: number; level: number; number: number },
): Promise<Uint8Array> {
  const row = await db
    .selectFrom('poll_log_tiles')
    .select('hashes')
    .where('log_key', '=', logKey)
    .where('level', '=', level)
    .where('number', '=', number)
    .modifyEnd(prepared)
    .executeTakeFirst()
  return row?.hashes ?? new Uint8Array(0)
}

/** The hashes of votes of a log, which holds all of them: a tile of level 0. */
export async function leavesAt(engine: Read, key: Bytes, span: Span): Promise<Uint8Array[]> {
  const votes = await loggedVotesAt(engine, span)
  return votes.map((vote) => leafHashOf(key, vote))
}

export async function loggedVotesAt(engine: Read, span: Span): Promise<LoggedVote[]> {
  const votes = await votesAt(engine, span)
  if (votes.length === span.to - span.from) return votes
  throw new Error(`poll ${span.pollKey} has lost the vote at position ${span.from + votes.length + 1}`)
}
