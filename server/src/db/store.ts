// db: the database behind one `Engine`: tables, migrations, transactions, keyset pages, data keys.
// Only this room names SQLite or PostgreSQL; each has a folder of its own.
import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { Counter } from './snapshots/snapshot.ts'
import type { OptionName, Tables } from './tables.ts'
import type { VoteStore } from './vote-store.ts'

export const engineNames = ['sqlite', 'postgres'] as const
export type EngineName = (typeof engineNames)[number]

/**
 * The column types of migrations: `identity` is an auto-incremented primary key, `timestamp` milliseconds since 1970 in
 * UTC, `flag` 0 or 1, and `integer` has 64 bits.
 */
export const typeWords = ['identity', 'integer', 'timestamp', 'flag', 'bytes', 'text'] as const

/** How an engine translates the words of migrations. */
export interface Dialect {
  readonly types: Readonly<Record<(typeof typeWords)[number], string>>
  /** Appended to a table; `clustered` stores the rows in the order of the primary key, if the engine can. */
  readonly tableOptions: { readonly plain: string; readonly clustered: string }
}

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** Short messages between the processes that share a database. */
export interface Notices {
  /** Delivered when `tx` commits, to the sender as well, because the sender may lose the answer to its commit. */
  send(tx: Tx, text: string): Promise<void>
  /** Delivered soon, to the other processes. A crash may lose them; the other processes then read everything again. */
  broadcast(texts: readonly string[]): void
  /** Starts to receive notices. */
  listen(onNotice: (text: string) => void): void
}

export interface DatabaseFacts {
  /** The version in the notation of the database, such as 16.2. */
  readonly version: string
  readonly bytes: number
}

export interface Connections {
  readonly open: number
  readonly busy: number
  readonly waiting: number
}

export interface AskedVotes {
  readonly pollKeys: readonly number[]
  readonly devices: readonly Uint8Array[]
}

export interface FoundVote {
  readonly poll_key: number
  readonly device: Uint8Array
  readonly option: OptionName
  readonly voted_at: number
  readonly position: number
  /** When the device was forgotten: its votes up to then belong to nobody. */
  readonly forgotten_at: number | null
}

/** The interface of an engine. All other database code is written once, over `db`. */
export interface Engine {
  readonly name: EngineName
  readonly db: Db
  readonly votes: VoteStore
  /** Appended to a select: locks its rows until the end of the transaction. SQLite has one writer at a time. */
  readonly forUpdate: RawBuilder<unknown>
  /** Appended to a select: its rows can be changed by others, and not deleted, until the end of the transaction. */
  readonly forKeyShare: RawBuilder<unknown>
  /** Appended to a select: locks its rows, and skips rows that another transaction has locked. */
  readonly skipLocked: RawBuilder<unknown>
  /** A transaction that does not wait for the disk: a power failure may undo it as a whole. For work that can be repeated. */
  relaxed<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** How migrations are translated for this engine. */
  readonly dialect: Dialect
  /** Waits for other processes that migrate, then blocks them until `work` is done. */
  whileMigrating<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Locks those of these tables that exist, in this order, for a migration. `work` may run again. */
  lockTables(tx: Tx, tables: readonly string[]): Promise<void>
  /** Runs an SQL script of several statements. */
  runScript(tx: Tx, script: string): Promise<void>
  /** Takes a lock until the transaction ends; false if another transaction holds it. */
  tryLock(tx: Tx, name: string): Promise<boolean>
  /** Locks these polls until the transaction ends. It then sees every vote on them, and must not pause: PostgreSQL then ends it. */
  lockPollsWithVotes(tx: Tx, keys: readonly number[]): Promise<void>
  /** The only way to look up votes by device: by key, however stale the statistics are. */
  votesOf(db: Db, asked: AskedVotes): Promise<FoundVote[]>
  /** The current time by the clock that the ledger uses for votes. */
  votingTime(db: Db): Promise<number>
  readonly notices: Notices
  /** Changes whenever another process may have written without its notice having arrived: read everything again. */
  epoch(): number
  /** How many database connections are open and in use, and how much work waits for one. */
  connections(): Connections
  /** For an operator, without reading a table. */
  facts(): Promise<DatabaseFacts>
  /** True for the violation of a unique constraint. */
  isTaken(error: unknown): boolean
  /** True if a row lock was not granted in time, because another transaction holds it. */
  isHeld(error: unknown): boolean
  isBusy(error: unknown): boolean
  /** How long to retry a busy database, for an engine that does not wait for locks itself. */
  readonly patienceMs?: number
  isUnavailable(error: unknown): boolean
  /** The reason for the log, if a setting is to blame. */
  whyUnavailable?(error: unknown): string | null
  close(): Promise<void>
}

/** How rows of an archive come into a new database. */
export interface Filling {
  /** Stands in an insert of rows that bring their keys. */
  readonly withKeys: string
  /** The name of something that is there already; null in an empty database. */
  firstTable(db: Db): Promise<string | null>
  /** After the last row: the next rows get keys after these, and queries are planned for what is there. */
  setCounters(tx: Tx, counters: readonly Counter[]): Promise<void>
}

/** A database that may not be migrated yet: parts that need the tables are available after `ready`. */
export interface OpenedEngine extends Omit<Engine, 'votes' | 'lockPollsWithVotes' | 'votesOf'> {
  readonly filling: Filling
  /** Called once, after the migrations. */
  ready(): Engine
}
