// cli/backup: what an archive holds, checked as if a stranger had made it, and filled into a database.

import {
  type ArchiveHead,
  type ArchiveManifest,
  FILES_FOLDER,
  ROWS_FOLDER,
  SECRET_ENTRY,
} from '../../backup/archive.ts'
import type { OpenedArchive, ReadEntry } from '../../backup/archive-reader.ts'
import { linesOf, MOST_PART_BYTES, type Row } from '../../backup/table-rows.ts'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { migrationNames } from '../../db/migrate.ts'
import type { NewDatabase } from '../../db/snapshots/new-database.ts'
import { isFileKey } from '../../files/file-keys.ts'
import type { ArchivePictures } from './archive-pictures.ts'
import { archiveFault, checkedRow, printable, quoted } from './check-row.ts'

export interface Content<Manifest> {
  readonly manifest: Manifest
  readonly counts: Readonly<Record<string, number>>
  /** The pictures that the archive holds. */
  readonly held: ReadonlySet<string>
}

export interface Target {
  readonly database: NewDatabase
  /** The tables of the archive; the database may have more. */
  readonly tables: readonly string[]
  readonly isForeign: boolean
  /** Changes and checks a row further before it is stored, by its table. */
  readonly dress: Readonly<Record<string, (row: Row, place: string) => Row | Promise<Row>>>
  /** Null if the pictures are only counted. */
  readonly pictures: ArchivePictures | null
  secret?(chunks: AsyncIterable<Uint8Array>): Promise<void>
}

/** Fills the database from an archive, and checks each row by itself. */
export async function loadContent<Manifest extends ArchiveManifest>(
  archive: OpenedArchive<ArchiveHead, Manifest>,
  target: Target,
): Promise<Content<Manifest>> {
  const { pictures, secret } = target
  const counts: Record<string, number> = Object.fromEntries(target.tables.map((table) => [table, 0]))
  const held = new Set<string>()
  const manifest = await archive.readEntries(async (entry) => {
    if (entry.name === SECRET_ENTRY && secret) return secret(entry.chunks)
    if (entry.name.startsWith(FILES_FOLDER)) {
      const key = entry.name.slice(FILES_FOLDER.length)
      // A key with a path in it would be written elsewhere.
      if (!isFileKey(key)) throw archiveFault('files', `Must be names of pictures, and one is ${quoted(key)}.`)
      held.add(key)
      await pictures?.take(key, entry)
      return
    }
    const { table, rows } = await readRows(entry, target)
    counts[table] = (counts[table] ?? 0) + rows.length
    if (table === 'files') pictures?.expect(rows)
  })
  for (const table of target.tables) {
    if (counts[table] === (manifest.counts[table] ?? 0)) continue
    throw archiveFault(
      `rows/${table}`,
      `Must have ${manifest.counts[table] ?? 0} rows, as the manifest says, and has ${counts[table]}.`,
    )
  }
  for (const [key, size] of pictures?.sizes ?? [])
    await target.database.tx.updateTable('files').set({ byte_size: size }).where('key', '=', key).execute()
  return { manifest, counts, held }
}

async function readRows(entry: ReadEntry, { database, tables, isForeign, dress }: Target) {
  const { name, bytes, chunks } = entry
  const [, table = ''] = /^rows\/(\w+)\/\d+\.jsonl\.gz$/.exec(name) ?? []
  const columns = tables.includes(table) ? database.tables.get(table) : undefined
  if (!columns || !name.startsWith(ROWS_FOLDER)) {
    throw new PlainFailure(`The archive holds ${quoted(name)}, which is unknown. Nothing was written.`)
  }
  const part = printable(name.replace('.jsonl.gz', ''))
  if (bytes > MOST_PART_BYTES) throw archiveFault(part, `Must have at most ${MOST_PART_BYTES} bytes, and has ${bytes}.`)
  const lines = await linesOf(Buffer.concat(await Array.fromAsync(chunks)))
  if (!lines) throw archiveFault(part, 'Must be lines of JSON, compressed by gzip.')
  const dressed = dress[table]
  const rows: Row[] = []
  const placeAt = (at: number) => `${part}, row ${at + 1}`
  for (const [at, line] of lines.entries()) {
    const row = checkedRow(line, placeAt(at), { table, columns, isForeign })
    rows.push(dressed ? await dressed(row, placeAt(at)) : row)
  }
  await database.insert(table, rows, (at, error) => {
    throw archiveFault(placeAt(at), `Must fit the rows before it: ${printable(reasonOf(error))}.`)
  })
  return { table, rows }
}

export function assertKnownSchema({ migrations, version }: Pick<ArchiveHead, 'migrations' | 'version'>): void {
  const known = migrationNames()
  const unknown = migrations.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new PlainFailure(
    `The archive is of Tossup ${printable(version)}, whose schema is newer than that of this version: it has the migration ${printable(unknown)}.`,
  )
}
