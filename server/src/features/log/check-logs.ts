import { PlainFailure } from '../../base/errors.ts'
import { type Bytes, unseal } from '../../base/secrets.ts'
import { openDataKey, WRAPPED_KEYS } from '../../db/data-keys.ts'
import { type LoggedVote, leafHashOf } from './entries.ts'
import { Growth, HASH_BYTES, hashesIn, heightsOf, TILE_WIDTH } from './tree.ts'

/** One moment of a database, or of an archive, which holds no tiles. */
export interface LogsToCheck {
  select<Row>(query: string): Promise<Row[]>
  /** The tables that together hold all votes. */
  readonly voteTables: readonly string[]
  readonly hasTiles: boolean
  openKey(sealed: Bytes): Bytes
}

interface StoredLog {
  readonly key: number
  readonly poll_key: number
  readonly id: string
  readonly size: number
  readonly peaks: Uint8Array
  readonly sealed: Bytes
}

const LIVE = `select poll_logs.key, poll_logs.poll_key, polls.id, size, peaks, sealed from poll_logs
  join polls on polls.key = poll_logs.poll_key join poll_log_keys on poll_log_keys.poll_key = poll_logs.poll_key
  where poll_logs.ended_at is null and polls.deleted_at is null order by poll_logs.key`

const VOTES_AT_ONCE = 4_096

/** Hashes the votes of each log again. Votes that its checkpoint does not name yet are not looked at. */
export async function checkLogs(database: LogsToCheck): Promise<{ logs: number; faults: string[] }> {
  const logs = await database.select<StoredLog>(LIVE)
  const faults: string[] = []
  for (const log of logs) faults.push(...(await faultsOf(database, log)))
  return { logs: logs.length, faults }
}

async function faultsOf(database: LogsToCheck, log: StoredLog): Promise<string[]> {
  const wrong: WrongTree[] = []
  const compare = database.hasTiles ? await tilesOf(database, log) : () => null
  const growth = new Growth({ size: 0, peaks: new Uint8Array(0) }, (level, hash, number) => {
    const fault = compare({ level, number }, hash)
    if (fault) wrong.push({ level, number, fault })
  })
  const lost = await regrow(database, log, growth)
  if (lost) return [lost]
  const [lostTile] = wrong.filter(({ fault }) => fault === 'missing').map((tree) => tileFault(log, tree))
  const differing = differingRange(growth.peaks, log)
  // The root tells which is wrong, the votes or a tile.
  if (differing) {
    const block = wrong.find(({ level, fault }) => level === 1 && fault === 'damaged')
    const [from, to] = block ? [block.number * TILE_WIDTH + 1, (block.number + 1) * TILE_WIDTH] : differing
    const changed = `Among votes ${from} to ${to} of poll ${log.id}, one is not what its log says.`
    return lostTile ? [changed, lostTile] : [changed]
  }
  const found = lostTile ?? wrong.map((tree) => tileFault(log, tree))[0]
  return found ? [found] : []
}

interface WrongTree {
  readonly level: number
  readonly number: number
  readonly fault: 'missing' | 'damaged'
}

const tileFault = ({ id }: StoredLog, { level, number, fault }: WrongTree): string =>
  `Tile ${Math.floor(number / TILE_WIDTH)} of level ${level} of the log of poll ${id} is ${fault}.`

/** Compares the hash of a tree with the tile that holds it. */
async function tilesOf({ select }: LogsToCheck, { key }: StoredLog) {
  const stored = await select<{ readonly level: number; readonly number: number; readonly hashes: Uint8Array }>(
    `select level, number, hashes from poll_log_tiles where log_key = ${key}`,
  )
  const tiles = new Map(stored.map((tile) => [`${tile.level} ${tile.number}`, tile.hashes]))
  return ({ level, number }: { level: number; number: number }, hash: Uint8Array): WrongTree['fault'] | null => {
    const at = (number % TILE_WIDTH) * HASH_BYTES
    const kept = tiles.get(`${level} ${Math.floor(number / TILE_WIDTH)}`)?.subarray(at, at + HASH_BYTES)
    if (kept?.length !== HASH_BYTES) return 'missing'
    return Buffer.compare(kept, hash) === 0 ? null : 'damaged'
  }
}

/** Adds the votes that the log holds. Says which is lost. */
async function regrow(database: LogsToCheck, log: StoredLog, growth: Growth): Promise<string | null> {
  const key = database.openKey(log.sealed)
  while (growth.size < log.size) {
    const votes = await readVotes(database, log, growth.size)
    if (votes.length === 0)
      return `The log of poll ${log.id} holds ${log.size} votes, and the database has ${growth.size}.`
    for (const vote of votes) {
      if (vote.position !== growth.size + 1)
        return `Poll ${log.id} has no vote at position ${growth.size + 1}, which its log holds.`
      growth.add(leafHashOf(key, vote))
    }
  }
  return null
}

/** The positions of the votes below the first peak that differs. */
function differingRange(peaks: readonly Uint8Array[], log: StoredLog): [number, number] | null {
  const kept = hashesIn(log.peaks)
  let from = 0
  for (const [i, height] of heightsOf(log.size).entries()) {
    if (Buffer.compare(peaks[i] as Uint8Array, kept[i] ?? new Uint8Array(0)) !== 0)
      return [from + 1, from + 2 ** height]
    from += 2 ** height
  }
  return null
}

function readVotes({ select, voteTables }: LogsToCheck, { poll_key, size }: StoredLog, after: number) {
  const parts = voteTables.map(
    (table) => `select option, device, position from ${table}
      where poll_key = ${poll_key} and position > ${after} and position <= ${Math.min(after + VOTES_AT_ONCE, size)}`,
  )
  return select<LoggedVote & { readonly position: number }>(
    `select option, device, position from (${parts.join(' union all ')}) as part order by position`,
  )
}

export interface CheckedLogs {
  readonly logs: number
  readonly faults: readonly string[]
  /** Why the logs were not checked; null if they were. */
  readonly unchecked: string | null
}

/** An archive from before there were logs. */
export const NO_LOGS: CheckedLogs = { logs: 0, faults: [], unchecked: null }

type Database = Omit<LogsToCheck, 'openKey' | 'voteTables'> & Partial<Pick<LogsToCheck, 'voteTables'>>

/** The entries of votes are hashes with keys that only the secret of the database opens. */
export async function checkOpenedLogs(
  { select, voteTables = ['votes'], hasTiles }: Database,
  secretsOf: () => Promise<readonly string[]>,
): Promise<CheckedLogs> {
  try {
    const rows = await select<{ name: string; wrapped: Uint8Array }>(WRAPPED_KEYS)
    const key = openDataKey(rows, 'logNonces', await secretsOf())
    if (!key) return NO_LOGS
    const openKey: LogsToCheck['openKey'] = (sealed) => {
      const opened = unseal(key, sealed)
      if (!opened) throw new PlainFailure('The key of a log cannot be opened.')
      return opened
    }
    return { ...(await checkLogs({ select, voteTables, hasTiles, openKey })), unchecked: null }
  } catch (error) {
    if (error instanceof PlainFailure) return { ...NO_LOGS, unchecked: error.message }
    throw error
  }
}
