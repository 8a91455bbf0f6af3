import { sql } from 'kysely'
import type pg from 'pg'
import { prepared } from '../prepared.ts'
import type { Db } from '../store.ts'

/** How far the log of a server has come. Positions are comparable if they are of one system and one timeline. */
export interface WalPosition {
  readonly bytes: number
  /** Made by initdb, and kept by copies of its files. */
  readonly system: string
  /** Each promotion begins another one. */
  readonly timeline: number
}

interface StandbyPosition extends WalPosition {
  readonly is_standby: boolean
}

/**
 * Of the primary: all that is committed, and all that readers can see, is before it. Not the position that is on the disk,
 * because transactions that do not wait for the disk are seen, too.
 */
const PRIMARY_POSITION = `select (pg_current_wal_insert_lsn() - '0/0')::bigint as bytes, system_identifier::text as system,
  ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline from pg_control_system()`

export async function positionOfPrimary(db: Db): Promise<WalPosition> {
  const { rows } = await sql<WalPosition>`${sql.raw(PRIMARY_POSITION)} ${prepared}`.execute(db)
  return rows[0] as WalPosition
}

/** How many bytes the standby is behind. Throws if it cannot be read from. */
export async function compareServers(primary: pg.ClientBase, standby: pg.ClientBase): Promise<number> {
  const { rows } = await primary.query<WalPosition>(PRIMARY_POSITION)
  const [position] = rows as [WalPosition]
  return bytesBehind(await positionOfStandby(standby, position), position)
}

/**
 * Of a standby. Its last checkpoint is of the timeline that it follows, except shortly after a failover; what it receives
 * says so earlier, to a role with pg_read_all_stats.
 */
const STANDBY_POSITION = `select pg_is_in_recovery() as is_standby, (pg_last_wal_replay_lsn() - '0/0')::bigint as bytes,
  system_identifier::text as system, greatest((select timeline_id from pg_control_checkpoint()),
  (select received_tli from pg_stat_wal_receiver)) as timeline from pg_control_system()`

/** Throws if this is no standby of the primary: its data may be that of another one, or of another time. */
export async function positionOfStandby(client: pg.ClientBase, primary: WalPosition): Promise<WalPosition> {
  const { rows } = await client.query<StandbyPosition>(STANDBY_POSITION)
  const [found] = rows
  if (!found?.is_standby) throw new NotOurs('it is not a standby')
  if (found.system !== primary.system) throw new NotOurs('it is not a standby of the primary')
  if (found.timeline !== primary.timeline) {
    throw new NotOurs(`it follows timeline ${found.timeline}, and the primary writes timeline ${primary.timeline}`)
  }
  return found
}

class NotOurs extends Error {}

const PAGE_BYTES = 8_192
/** The header of a page, and of the first page of a file. */
const HEADERS: readonly number[] = [24, 40]

/**
 * How much of what the primary has written is not applied yet. The position of a primary whose last record ended with a page
 * is behind the header of the next one, where no standby arrives before there is another record.
 */
export function bytesBehind(standby: Pick<WalPosition, 'bytes'>, primary: Pick<WalPosition, 'bytes'>): number {
  const inPage = primary.bytes % PAGE_BYTES
  const end = HEADERS.includes(inPage) ? primary.bytes - inPage : primary.bytes
  return Math.max(0, end - standby.bytes)
}
