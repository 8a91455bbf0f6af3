import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'
import type { VoteStore } from './vote-store.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** What an engine must give; everything else in the service is written once, over `db`. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres'
  readonly db: Db
  readonly votes: VoteStore
  /** Waits for other processes that migrate, then holds them off until `work` is done. */
  whileMigrating<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs a file of several statements. */
  runScript(tx: Tx, script: string): Promise<void>
  /** Until the transaction ends; false when somebody else holds it. */
  tryLock(tx: Tx, name: string): Promise<boolean>
  /** Rows chosen by `select key from polls` stay as they are until the transaction ends. */
  lockPolls(tx: Tx, keys: readonly number[]): Promise<void>
  /** Changes whenever another process may have written: what was read before is then to be read anew. */
  epoch(): number
  /** Somebody holds a row that was to be locked, and does not let go. */
  isHeld(error: unknown): boolean
  isBusy(error: unknown): boolean
  /** How long to go on trying what is busy; for an engine that does not wait for locks by itself. */
  readonly patienceMs?: number
  isUnavailable(error: unknown): boolean
  close(): Promise<void>
}
