import { newUuid } from '../base/ids.ts'
import { version } from '../config/config.ts'
import { migrationNames } from '../db/migrate.ts'
import type { Snapshot } from '../db/snapshots/snapshot.ts'
import { expectedFiles, type FileRow, hasFile } from '../files/file-keys.ts'
import { type FileStore, streamOf } from '../files/file-store.ts'
import { type ArchiveHead, FILES_FOLDER, FORMAT, ROWS_FOLDER } from './archive.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import { inParts, type Row } from './table-rows.ts'

const ROWS_AT_ONCE = 2_000

export const newHead = <Kind extends ArchiveHead['kind']>(kind: Kind): ArchiveHead & { readonly kind: Kind } => ({
  format: FORMAT,
  kind,
  id: newUuid(),
  version,
  createdAt: new Date().toISOString(),
  migrations: migrationNames(),
})

export interface TableToWrite {
  readonly name: string
  readonly query: string
}

interface Parts {
  readonly store: FileStore
  /** Changes a row before it is written. */
  readonly dress?: (table: string, row: Row) => Row
}

/** Rows of each table in order; pictures follow the rows of `files` that name them. */
export async function writeTables<Head extends ArchiveHead>(
  writer: ArchiveWriter<Head>,
  { snapshot, tables }: { snapshot: Pick<Snapshot, 'selectInParts'>; tables: readonly TableToWrite[] },
  { store, dress = (_, row) => row }: Parts,
): Promise<{ counts: Record<string, number>; missingFiles: string[] }> {
  const counts: Record<string, number> = {}
  const files: FileRow[] = []
  const missingFiles: string[] = []

  async function* rowsOf({ name, query }: TableToWrite): AsyncGenerator<Row[]> {
    for await (const rows of snapshot.selectInParts<Row>(query, ROWS_AT_ONCE)) {
      counts[name] = (counts[name] ?? 0) + rows.length
      if (name === 'files') files.push(...(rows as unknown as FileRow[]).filter(hasFile))
      yield rows.map((row) => dress(name, row))
    }
  }

  for (const table of tables) {
    counts[table.name] = 0
    let part = 0
    for await (const bytes of inParts(rowsOf(table)))
      await writer.add(`${ROWS_FOLDER}${table.name}/${++part}.jsonl.gz`, bytes.length, [bytes])
    if (table.name !== 'files') continue
    for (const { key } of files.flatMap(expectedFiles)) {
      const file = await store.read(key)
      // The file may have expired since the snapshot.
      if (file) await writer.add(FILES_FOLDER + key, file.size, streamOf(file))
      else missingFiles.push(key)
    }
  }
  return { counts, missingFiles }
}
