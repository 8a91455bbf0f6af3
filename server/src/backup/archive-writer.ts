import { newUuid } from '../base/ids.ts'
import { version } from '../config/config.ts'
import { migrationNames } from '../db/migrate.ts'
import type { Snapshot } from '../db/snapshots/snapshot.ts'
import { expectedFiles, type FileRow, hasFile } from '../files/file-keys.ts'
import { type FileStore, streamOf } from '../files/file-store.ts'
import {
  type ArchiveEntry,
  type ArchiveHead,
  BLOCK_BYTES,
  type Chunks,
  FILES_FOLDER,
  FORMAT,
  HEAD,
  MANIFEST,
  MANIFEST_SUM,
  paddingOf,
  ROWS_FOLDER,
  tarHeader,
} from './archive.ts'
import type { Sink } from './sinks.ts'
import { inParts, type Row } from './table-rows.ts'

/** Writes entries as they come; their checksums stand in the manifest at the end. */
export class ArchiveWriter<Head extends ArchiveHead> {
  readonly #sink: Sink
  readonly #head: Head
  readonly #seconds: number
  readonly #entries: ArchiveEntry[] = []
  #bytes = 0

  private constructor(sink: Sink, head: Head) {
    this.#sink = sink
    this.#head = head
    this.#seconds = Date.parse(head.createdAt) / 1_000
  }

  static async begin<Head extends ArchiveHead>(sink: Sink, head: Head): Promise<ArchiveWriter<Head>> {
    const writer = new ArchiveWriter(sink, head)
    await writer.addText(HEAD, JSON.stringify(head))
    return writer
  }

  /** The bytes of the archive so far. */
  get bytes(): number {
    return this.#bytes
  }

  async add(name: string, bytes: number, chunks: Chunks): Promise<void> {
    const hash = new Bun.CryptoHasher('sha256')
    await this.#write(tarHeader({ name, bytes }, this.#seconds))
    let written = 0
    for await (const chunk of chunks) {
      hash.update(chunk)
      written += chunk.length
      await this.#write(chunk)
    }
    if (written !== bytes) throw new Error(`${name} has ${written} bytes instead of ${bytes}`)
    await this.#write(new Uint8Array(paddingOf(bytes)))
    this.#entries.push({ name, bytes, sha256: hash.digest('hex') })
  }

  addText(name: string, text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text)
    return this.add(name, bytes.length, [bytes])
  }

  /** `facts` stand in the manifest beside the checksums. */
  async finish(facts: object): Promise<void> {
    const manifest = JSON.stringify({ id: this.#head.id, ...facts, entries: [...this.#entries] })
    await this.addText(MANIFEST, manifest)
    await this.addText(MANIFEST_SUM, new Bun.CryptoHasher('sha256').update(manifest).digest('hex'))
    await this.#write(new Uint8Array(2 * BLOCK_BYTES))
    await this.#sink.finish()
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (chunk.length === 0) return
    this.#bytes += chunk.length
    await this.#sink.write(chunk)
  }
}

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
