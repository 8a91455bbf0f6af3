// db/snapshots: a database as of one moment, read for an archive, and a new one that is filled from an archive.
/** One moment of a database: what is written later is not in it. */
export interface Snapshot {
  /** The tables that an archive holds, each after those to which it refers. */
  readonly tables: readonly string[]
  /** The tables that together hold all votes. */
  readonly voteTables: readonly string[]
  select<Row>(query: string): Promise<Row[]>
  /** The rows of a query, at most so many at a time. Read it to its end, or close the snapshot. */
  selectInParts<Row>(query: string, most: number): AsyncIterable<Row[]>
  /** The last key of each table that numbers its rows: the key of a removed row is never used again. */
  readCounters(): Promise<Counter[]>
  /** Messages of the database about damage to its file. */
  findDamage(): Promise<string[]>
  close(): Promise<void>
}

export interface Counter {
  readonly name: string
  readonly last: number
}
