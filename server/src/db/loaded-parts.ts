import type { Dump, DumpedTable } from './dump.ts'

/** The parts of a dump, read again. */
export interface LoadedParts {
  /** In the order of the dump. */
  take(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** Call it after the last part: opens the loaded content for checks before it is used. */
  ready(): Promise<Pick<Dump, 'select'>>
  /** Call it after a failure, too. */
  close(): Promise<void>
}

/** Loaded parts that can become the database of a server. */
export interface RestoredParts extends LoadedParts {
  /** Durable when it resolves. */
  commit(): Promise<void>
}

export interface DumpedSchema {
  /** The migrations that had been applied. */
  readonly migrations: readonly string[]
  readonly tables: readonly DumpedTable[]
}
