import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { archivedTables } from '../migrate.ts'
import type { Counter, Snapshot } from '../snapshots/snapshot.ts'
import { hasFreshVotes } from './fresh-votes.ts'

const PATIENCE_MS = 30_000

/**
 * A read transaction on a connection of its own: votes go on, and the log grows until it is closed. Call it in a process without a
 * server: closing a file of the database releases all locks that the process holds on it.
 */
export function openSqliteSnapshot(dataDir: string): Snapshot {
  // Opened for writing: the last connection to close empties the log, as after every other command.
  const file = new Database(join(dataDir, 'tossup.sqlite'), { readwrite: true, create: false, strict: true })
  try {
    for (const pragma of [`busy_timeout = ${PATIENCE_MS}`, 'journal_mode = wal', 'temp_store = file'])
      file.run(`pragma ${pragma}`)
    file.run('begin')
    const found = file.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all()
    // A temporary view takes the place of the table, so that queries for votes find the newest ones.
    if (hasFreshVotes(file)) file.run(ALL_VOTES)
    return {
      tables: archivedTables(found.map(({ name }) => name)),
      voteTables: hasFreshVotes(file) ? ['main.votes', 'main.fresh_votes'] : ['votes'],
      select: async <Row>(query: string) => file.query<Row, []>(query).all(),
      selectInParts: <Row>(query: string, most: number) => rowsInParts<Row>(file, query, most),
      readCounters: async () => file.query<Counter, []>('select name, seq as last from sqlite_sequence').all(),
      async findDamage() {
        const lines = file.query<{ quick_check: string }, []>('pragma quick_check(10)').all()
        return lines.map((line) => line.quick_check).filter((line) => line !== 'ok')
      },
      close: async () => file.close(),
    }
  } catch (error) {
    file.close()
    throw error
  }
}

/** All columns, because a database that is not migrated has fewer. Both tables have them in one order. */
const ALL_VOTES = `create temp view votes as
  select * from main.votes union all select * from main.fresh_votes`

async function* rowsInParts<Row>(file: Database, query: string, most: number): AsyncGenerator<Row[]> {
  let part: Row[] = []
  for (const row of file.query<Row, []>(query).iterate()) {
    part.push(row)
    if (part.length < most) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
