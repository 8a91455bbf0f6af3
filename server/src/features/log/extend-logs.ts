import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Insertable, sql } from 'kysely'
import { inBatches } from '../../base/work/jobs.ts'
import { valueByKey } from '../../db/prepared.ts'
import type { Db, Engine, Tx } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { leafHashOf } from './entries.ts'
import { addLogKeys, newOrigin, openLogKey } from './log-keys.ts'
import { isLive, tileAt, votesAt } from './queries.ts'
import { Growth, TILE_WIDTH } from './tree.ts'

const POLLS = 100
/** Votes of one transaction, of one query, and of one turn of the event loop, which hashing blocks. */
const VOTES = 16_384
const VOTES_AT_ONCE = 4_096
const HASHED_AT_ONCE = 1_024

/** After this time without a checkpoint, another server takes over. */
const LEASE_MS = 6_000

/** The times of the checkpoints of this server, as far back as they matter. */
const ownTimes = new WeakMap<Engine, number[]>()

type JobDeps = Pick<Deps, 'clock' | 'config' | 'engine' | 'keys'>

/**
 * Begins the logs of published polls and adds new votes to them. A log is read and hashed outside of the transaction that stores its new
 * state, and stored only over the state that was read: so each checkpoint extends the last, also beside other servers and after a restart.
 * The commit waits for the disk, after the votes that it names.
 */
export const extendLogs = (deps: JobDeps, stopwatch?: () => number): Promise<boolean> => {
  const after = { key: 0 }
  return inBatches(() => extendSome(deps, after), stopwatch)
}

/** False when nothing is left after the poll with the key `after`. */
async function extendSome(deps: JobDeps, after: { key: number }): Promise<boolean> {
  const { db } = deps.engine
  const due = await duePolls(db, after.key)
  if (due.length === 0) return false
  const logs = await logsOf(
    db,
    due.map(({ key }) => key),
  )
  if (isWorkOfAnother(deps, [...logs.values()])) return false
  const missing = due.filter(({ key }) => !logs.has(key))
  if (missing.length > 0) {
    await transaction(deps.engine, (tx) => begin(deps, tx, missing))
    return true
  }
  const grown: Grown[] = []
  let room = VOTES
  for (const poll of due) {
    if (room === 0) break
    const log = logs.get(poll.key) as LiveLog
    const to = Math.min(poll.vote_total, log.size + room)
    const each = await grow(deps, log, to)
    room -= each.size - log.size
    const isCutOff = each.size === to && to < poll.vote_total
    // A total above the votes must not bring its poll back in each run.
    grown.push({ ...each, seen: isCutOff ? each.size : Math.max(poll.vote_total, each.size) })
    if (!isCutOff) after.key = poll.key
  }
  await transaction(deps.engine, (tx) => store(deps, tx, grown))
  return true
}

function noteOwn(engine: Engine, now: number): void {
  const recent = (ownTimes.get(engine) ?? []).filter((at) => Math.abs(now - at) < LEASE_MS)
  ownTimes.set(engine, [...recent, now])
}

/** One server at a time does it, as long as it is alive: a checkpoint of a moment ago that is not of this server tells of it. */
function isWorkOfAnother({ clock, engine }: JobDeps, logs: readonly LiveLog[]): boolean {
  const now = clock.now()
  const own = ownTimes.get(engine) ?? []
  return logs.some(({ checkpoint_at: at }) => Math.abs(now - at) < LEASE_MS && !own.includes(at))
}

const duePolls = (db: Db, after: number) =>
  db
    .selectFrom('polls')
    .select(['key', 'id', 'vote_total'])
    // Constants, because SQLite matches the partial index `polls_to_log` only by its literal condition.
    .where(sql<boolean>`vote_total > logged_votes and is_draft = 0 and deleted_at is null`)
    .where('key', '>', after)
    .orderBy('key')
    .limit(POLLS)
    .execute()

type DuePoll = Awaited<ReturnType<typeof duePolls>>[number]

async function logsOf(db: Db, keys: readonly number[]) {
  const rows = await db
    .selectFrom('poll_logs')
    .innerJoin('poll_log_keys', 'poll_log_keys.poll_key', 'poll_logs.poll_key')
    .select(['poll_logs.key', 'poll_logs.poll_key', 'size', 'peaks', 'sealed', 'checkpoint_at'])
    .where('poll_logs.poll_key', 'in', keys)
    .where(isLive)
    .execute()
  return new Map(rows.map((row) => [row.poll_key, row]))
}

type LiveLog = Awaited<ReturnType<typeof logsOf>> extends Map<number, infer Row> ? Row : never

/** Under the locks of the polls, so that none is deleted meanwhile and no other server begins the same log. */
async function begin({ clock, config, engine, keys }: JobDeps, tx: Tx, polls: readonly DuePoll[]): Promise<void> {
  const pollKeys = polls.map(({ key }) => key)
  await engine.lockPollsWithVotes(tx, pollKeys)
  const begun = await logsOf(tx, pollKeys)
  const living = await tx
    .selectFrom('polls')
    .select(['key', 'id'])
    .where('key', 'in', pollKeys)
    .where('deleted_at', 'is', null)
    .execute()
  const now = clock.now()
  const added = living.filter(({ key }) => !begun.has(key))
  if (added.length === 0) return
  noteOwn(engine, now)
  const addedKeys = added.map(({ key }) => key)
  await addLogKeys(tx, keys, addedKeys)
  const empty = { size: 0, peaks: new Uint8Array(0), started_at: now, checkpoint_at: now }
  await tx
    .insertInto('poll_logs')
    .values(added.map(({ key, id }) => ({ poll_key: key, ...newOrigin(config, id), ...empty })))
    .execute()
  await tx.updateTable('polls').set({ logged_votes: 0 }).where('key', 'in', addedKeys).execute()
}

interface Grown {
  readonly log: LiveLog
  readonly size: number
  readonly peaks: Uint8Array
  readonly tiles: readonly Tile[]
  /** `vote_total` as it was read, or less if votes are left. */
  readonly seen: number
}

interface Tile {
  readonly level: number
  readonly number: number
  readonly hashes: Uint8Array
}

async function grow({ engine, keys }: JobDeps, log: LiveLog, to: number): Promise<Omit<Grown, 'seen'>> {
  const key = openLogKey(keys, log.sealed)
  const trees: { level: number; number: number; hash: Uint8Array }[] = []
  const growth = new Growth(log, (level, hash, number) => trees.push({ level, number, hash }))
  let isEnd = false
  while (!isEnd && growth.size < to) {
    const upTo = Math.min(to, growth.size + VOTES_AT_ONCE)
    for (const vote of await votesAt(engine, { pollKey: log.poll_key, from: growth.size, to: upTo })) {
      growth.add(leafHashOf(key, vote))
      if (growth.size % HASHED_AT_ONCE === 0) await nextTurn()
    }
    isEnd = growth.size < upTo
    await nextTurn()
  }
  const tiles: Tile[] = []
  for (const [, added] of Map.groupBy(trees, ({ level, number }) => `${level} ${Math.floor(number / TILE_WIDTH)}`)) {
    const [first] = added
    if (!first) continue
    const { level } = first
    const number = Math.floor(first.number / TILE_WIDTH)
    const stored = await tileAt(engine.db, { logKey: log.key, level, number })
    const before = stored.subarray(0, (first.number % TILE_WIDTH) * first.hash.length)
    tiles.push({ level, number, hashes: Buffer.concat([before, ...added.map(({ hash }) => hash)]) })
  }
  return { log, size: growth.size, peaks: Buffer.concat(growth.peaks), tiles }
}

async function store({ clock, engine }: JobDeps, tx: Tx, grown: readonly Grown[]): Promise<void> {
  const now = clock.now()
  // Two servers would store the same votes, and the second would find other states.
  if (!(await engine.tryLock(tx, 'logs of polls'))) return
  await engine.lockPollsWithVotes(
    tx,
    grown.map(({ log }) => log.poll_key),
  )
  const stored = await storeStates(tx, grown, now)
  if (stored.length === 0) return
  noteOwn(engine, now)
  const tiles = stored.flatMap(({ log, tiles: own }) => own.map((tile) => ({ log_key: log.key, ...tile })))
  if (tiles.length > 0) await storeTiles(tx, tiles)
  const seen = new Map(stored.map(({ log, seen: total }) => [log.poll_key, total]))
  await tx
    .updateTable('polls')
    .set({ logged_votes: valueByKey('key', seen) })
    .where('key', 'in', [...seen.keys()])
    .execute()
}

/** In one statement, because votes on all of these polls wait meanwhile. Those whose state another process has changed are left out. */
async function storeStates(tx: Tx, grown: readonly Grown[], now: number): Promise<readonly Grown[]> {
  const before = grown.map(({ log }) => [log.key, log.size] as const)
  const after = valueByKey(
    'key',
    grown.map(({ log, size }) => [log.key, size]),
  )
  const peaks = sql.join(
    grown.map(({ log, peaks: own }) => sql`when ${sql.lit(log.key)} then ${own}`),
    sql` `,
  )
  const rows = await tx
    .updateTable('poll_logs')
    .set(({ ref }) => ({
      size: after,
      // The column gives the others their type.
      peaks: sql<Uint8Array>`case key ${peaks} else ${ref('peaks')} end`,
      checkpoint_at: sql<number>`case when size < ${after} then ${now} else ${ref('checkpoint_at')} end`,
    }))
    .where(
      'key',
      'in',
      before.map(([key]) => key),
    )
    .where('size', '=', valueByKey('key', before))
    .where(isLive)
    .returning('key')
    .execute()
  const stored = new Set(rows.map(({ key }) => key))
  return grown.filter(({ log }) => stored.has(log.key))
}

const storeTiles = (tx: Tx, tiles: readonly Insertable<Tables['poll_log_tiles']>[]) =>
  tx
    .insertInto('poll_log_tiles')
    .values(tiles)
    .onConflict((conflict) =>
      conflict.columns(['log_key', 'level', 'number']).doUpdateSet((row) => ({ hashes: row.ref('excluded.hashes') })),
    )
    .execute()
