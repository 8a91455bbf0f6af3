/** A part of a dump whose length is known before its first byte. */
export interface DumpPart {
  readonly name: string
  readonly bytes: number
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A table as PostgreSQL is to fill it again, in an order in which no row refers to a missing one. */
export interface DumpedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** One snapshot of a database: it leaves out what is written after its start. */
export interface Dump {
  /** The tables of the parts, in their order; empty if the parts are whole files. */
  readonly tables: readonly DumpedTable[]
  /** Reads from the same snapshot. */
  select<Row>(query: string): Promise<Row[]>
  /** The rows of a query that may not fit into memory, at most so many at a time. Read it to its end, or close the dump. */
  selectInParts<Row>(query: string, most: number): AsyncIterable<Row[]>
  /** The data, to be read once. Counters of identity columns are last, so that no row lies above them. */
  parts(): AsyncIterable<DumpPart>
  close(): Promise<void>
}
