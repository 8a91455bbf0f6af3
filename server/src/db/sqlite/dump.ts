import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Dump, DumpPart } from '../dump.ts'
import { migrationNames } from '../migrate.ts'
import { FreshVotes, hasFreshVotes } from './fresh-votes.ts'
import { type LogIndex, logBytes, readLogIndex } from './log-index.ts'

const PATIENCE_MS = 30_000
/** A server rarely comes between a commit and the next lock even once. */
const MOST_SETTLED = 20
const CHUNK_BYTES = 1_048_576

/**
 * Copies the bytes of the database and of its log, up to the last commit. While a reader is open, a checkpoint writes only
 * pages into the database that the copied log holds too, and no writer starts the log over. So the two files are consistent
 * once SQLite has replayed the log, also beside writes. Voting goes on, apart from the millisecond in
 * which the reader opens: a write lock holds the end of the log still until its index is read.
 */
export async function dumpSqlite(dataDir: string): Promise<Dump> {
  const path = join(dataDir, 'tossup.sqlite')
  // Closed last: a connection that is the only one empties and removes the log, as after every other command.
  const writer = new Database(path, { readwrite: true, create: false, strict: true })
  const opened: (() => void)[] = [() => writer.close()]
  const close = async () => {
    for (const each of opened.splice(0)) each()
  }
  try {
    writer.run(`pragma busy_timeout = ${PATIENCE_MS}`)
    // A rollback that was not confirmed has left this mode, in which there is no log to copy.
    writer.run('pragma journal_mode = wal')
    lockSettled(writer)
    const reader = new Database(path, { readonly: true, strict: true })
    opened.unshift(() => reader.close())
    reader.run('begin')
    reader.query('select count(*) from sqlite_schema').get()
    // To close any descriptor of these files releases the locks of SQLite, so they are closed after the connections.
    const [file, log, index] = ['', '-wal', '-shm'].map((suffix) => openSync(path + suffix, 'r')) as [
      number,
      number,
      number,
    ]
    opened.push(...[file, log, index].map((fd) => () => closeSync(fd)))
    const end = readLogIndex(index)
    writer.run('rollback')
    const size = reader.query<{ bytes: number }, []>(SIZE).get()?.bytes ?? 0
    return {
      tables: [],
      select: async <Row>(query: string) => reader.query<Row, []>(query).all(),
      selectInParts: <Row>(query: string, most: number) => rowsInParts<Row>(reader, query, most),
      parts: () => partsOf({ file, log }, { size, end }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Takes the write lock when no vote is fresh, so that `votes` has every vote of the snapshot. */
function lockSettled(writer: Database): void {
  // A power failure makes the votes fresh again, so nothing has to wait for the disk.
  for (const pragma of ['synchronous = normal', 'wal_autocheckpoint = 0']) writer.run(`pragma ${pragma}`)
  writer.run('begin immediate')
  try {
    if (!hasFreshVotes(writer) || !isKnown(writer)) return
    const fresh = new FreshVotes(writer)
    for (let times = 0; fresh.isAny && times < MOST_SETTLED; times++) {
      fresh.settle()
      writer.run('commit')
      writer.run('begin immediate')
    }
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    // On a full or failing disk, the snapshot is worth having without the fresh votes: the copy holds them in their own table.
    if (writer.inTransaction) writer.run('rollback')
    writer.run('begin immediate')
  }
}

/** The votes of a newer version may have to be settled in another way. */
function isKnown(file: Database): boolean {
  const known = new Set(migrationNames())
  const applied = file.query<{ name: string }, []>('select name from migrations').all()
  return applied.every(({ name }) => known.has(name))
}

async function* rowsInParts<Row>(reader: Database, query: string, most: number): AsyncGenerator<Row[]> {
  let part: Row[] = []
  for (const row of reader.query<Row, []>(query).iterate()) {
    part.push(row)
    if (part.length < most) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

const SIZE = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size'

async function* partsOf(
  { file, log }: { file: number; log: number },
  { size, end }: { size: number; end: LogIndex },
): AsyncGenerator<DumpPart> {
  yield { name: 'tossup.sqlite', bytes: size, chunks: read(file, size) }
  // Everything is in the database: the reader does not use the log, and a writer may start it over.
  if (end.frames === end.backfilled) return
  const bytes = logBytes(end)
  yield { name: 'tossup.sqlite-wal', bytes, chunks: read(log, bytes) }
}

/** Pages at the end that are only in the log are zeros here. */
async function* read(fd: number, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - at))
    for (let filled = 0, count = 1; filled < chunk.length && count > 0; filled += count) {
      count = readSync(fd, chunk, filled, chunk.length - filled, at + filled)
    }
    yield chunk
    await nextTurn()
  }
}
