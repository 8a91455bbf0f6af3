// db: the database behind one `Engine`: tables, migrations, transactions, keyset pages, data keys.
// Imports rooms: base.
// Only this room names SQLite or PostgreSQL; each has a folder of its own.

import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { Dialect, EngineName } from './dialect.ts'
import type { Tables } from './tables.ts'
import type { VoteStore } from './vote-store.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** Short messages between the processes that work on one database. */
export interface Notices {
  /** Delivered when `tx` commits, to the sender as well: the answer to its commit may be lost. */
  send(tx: Tx, text: string): Promise<void>
  /** Delivered soon, to the others. A crash may lose them, after which the others read everything again. */
  broadcast(texts: readonly string[]): void
  /** Receives notices from now on. */
  listen(onNotice: (text: string) => void): void
}

/** What an engine must give; everything else in the service is written once, over `db`. */
export interface Engine {
  readonly name: EngineName
  readonly db: Db
  readonly votes: VoteStore
  /** One process at a time serves from this database. */
  readonly isAlone: boolean
  /** Ends a select: locks its rows, and leaves out those that somebody else has locked. */
  readonly skipLocked: RawBuilder<unknown>
  /** A transaction that does not wait for the disk: a loss of power may undo it, whole. For what can be done again. */
  relaxed<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** How migrations are written for it. */
  readonly dialect: Dialect
  /** Waits for other processes that migrate, then holds them off until `work` is done. */
  whileMigrating<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs a file of several statements. */
  runScript(tx: Tx, script: string): Promise<void>
  /** Until the transaction ends; false when somebody else holds it. */
  tryLock(tx: Tx, name: string): Promise<boolean>
  /** Until the transaction ends these polls stay as they are, and `device_votes` shows every vote on them. */
  lockPollsWithVotes(tx: Tx, keys: readonly number[]): Promise<void>
  /** The time that votes are cast at, by the clock that the ledger reads. */
  votingTime(db: Db): Promise<number>
  readonly notices: Notices
  /** Changes whenever another process may have written something of which no notice came: read everything again. */
  epoch(): number
  /** What was to be unique is there already. */
  isTaken(error: unknown): boolean
  /** Somebody holds a row that was to be locked, and does not let go. */
  isHeld(error: unknown): boolean
  isBusy(error: unknown): boolean
  /** How long to go on trying what is busy; for an engine that does not wait for locks by itself. */
  readonly patienceMs?: number
  isUnavailable(error: unknown): boolean
  close(): Promise<void>
}

/** A database whose tables may be missing: what needs them can be had once it is migrated. */
export interface OpenedEngine extends Omit<Engine, 'votes' | 'lockPollsWithVotes'> {
  /** Called once, after the migrations. */
  ready(): Engine
}
