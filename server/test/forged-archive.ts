import { readArchive } from '../src/backup/archive-reader.ts'
import { ArchiveWriter } from '../src/backup/archive-writer.ts'
import { archiveSource } from '../src/backup/sources.ts'
import type { BrandHead, BrandManifest, Row } from '../src/cli/brand-archive/brand-rows.ts'

/** An archive of a brand as its author can change it: checksums are made when it is written. */
export interface BrandArchive {
  head: BrandHead
  readonly facts: object
  readonly entries: Map<string, Uint8Array>
}

export async function readBrandArchive(path: string): Promise<BrandArchive> {
  const entries = new Map<string, Uint8Array>()
  const { head, manifest } = await readArchive<BrandHead, BrandManifest>(archiveSource(path), {
    kind: 'brand',
    begin: async () => async (entry) => {
      entries.set(entry.name, Buffer.concat(await Array.fromAsync(entry.chunks)))
    },
  })
  const { entries: _, ...facts } = manifest
  return { head, facts, entries }
}

export async function archiveBytes({ head, facts, entries }: BrandArchive): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const sink = {
    write: async (chunk: Uint8Array) => void chunks.push(chunk.slice()),
    finish: async () => undefined,
    abandon: async () => undefined,
  }
  const writer = await ArchiveWriter.begin(sink, head)
  for (const [name, bytes] of entries) await writer.add(name, bytes.length, [bytes])
  await writer.finish(facts)
  return Buffer.concat(chunks)
}

/** A copy of an archive with other rows in a table. */
export function withRows(archive: BrandArchive, table: string, change: (rows: Row[]) => unknown): BrandArchive {
  const name = `rows/${table}/1`
  const rows = JSON.parse(Buffer.from(archive.entries.get(name) ?? []).toString()) as Row[]
  return withEntry(archive, name, Buffer.from(JSON.stringify(change(rows))))
}

export const withEntry = (archive: BrandArchive, name: string, bytes: Uint8Array): BrandArchive => ({
  ...archive,
  entries: new Map([...archive.entries, [name, bytes]]),
})
