import type { Database } from 'bun:sqlite'
import { tryToWrite } from './connection.ts'

/** Votes that move to `votes` together, so that those of one poll share pages. */
const SETTLE_AT = 1_024

/** The table that settling completes, and the view over it. */
export const readsVotes = (statement: string): boolean => /\b(?:votes|guests)\b/.test(statement)

/**
 * `fresh_votes` holds the newest votes in the order in which they came, because a group on many polls would otherwise change a page of
 * `votes` for each poll. A vote is in exactly one of the two tables. Tallies and counts include it from the start.
 */
export class FreshVotes {
  readonly #file: Database
  readonly #statements: ReturnType<typeof prepare>

  constructor(file: Database) {
    this.#file = file
    this.#statements = prepare(file)
  }

  get isAny(): boolean {
    return this.#statements.readLast.get()?.last !== null
  }

  /** Call it in a transaction. */
  settle(): void {
    this.#statements.move.run()
    this.#statements.clear.run()
  }

  /** Does not wait for the disk: if a power failure undoes it, the votes are fresh again. */
  settleAlone(): void {
    this.#file.run('pragma synchronous = normal')
    try {
      this.#file.transaction(() => this.settle()).immediate()
    } finally {
      this.#file.run('pragma synchronous = full')
    }
  }

  /** Call it between transactions, after each group. Rowids begin at 1 again once the table is empty. */
  settleIfMany(): void {
    if ((this.#statements.readLast.get()?.last ?? 0) >= SETTLE_AT) tryToWrite(() => this.settleAlone())
  }
}

/** Missing before the migration that creates it, and in the copy of an older database. */
export const hasFreshVotes = (file: Database): boolean =>
  file.query("select 1 from sqlite_schema where type = 'table' and name = 'fresh_votes'").get() !== null

const prepare = (file: Database) => ({
  readLast: file.query<{ last: number | null }, []>('select max(rowid) as last from fresh_votes'),
  // All columns, because a migration settles with the schema from before it. Both tables have them in one order.
  move: file.query('insert into votes select * from fresh_votes order by poll_key, position'),
  clear: file.query('delete from fresh_votes'),
})
