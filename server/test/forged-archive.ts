import { gunzipSync } from 'node:zlib'
import type { ArchiveHead, ArchiveManifest, BrandHead } from '../src/backup/archive.ts'
import { archiveSource, openArchive } from '../src/backup/archive-reader.ts'
import { ArchiveWriter } from '../src/backup/archive-writer.ts'
import type { Row } from '../src/backup/table-rows.ts'

/** An archive as its author can change it: checksums are made when it is written. */
export interface Forged<Head extends ArchiveHead = ArchiveHead> {
  readonly head: Head
  readonly facts: { readonly counts: Readonly<Record<string, number>> }
  readonly entries: ReadonlyMap<string, Uint8Array>
}

export type BrandArchive = Forged<BrandHead>

export async function readForged<Head extends ArchiveHead>(path: string, kind: Head['kind']): Promise<Forged<Head>> {
  const entries = new Map<string, Uint8Array>()
  const archive = await openArchive<Head, ArchiveManifest>(archiveSource(path), kind)
  const manifest = await archive.readEntries(async (entry) => {
    entries.set(entry.name, Buffer.concat(await Array.fromAsync(entry.chunks)))
  })
  const { entries: _, ...facts } = manifest
  return { head: archive.head, facts, entries }
}

export const readBrandArchive = (path: string): Promise<BrandArchive> => readForged<BrandHead>(path, 'brand')

export async function archiveBytes({ head, facts, entries }: Forged): Promise<Uint8Array> {
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

export const firstPart = (table: string): string => `rows/${table}/1.jsonl.gz`

export const asPart = (text: string): Uint8Array => Bun.gzipSync(text)

export const rowsIn = ({ entries }: Forged, table: string): Row[] => {
  const part = entries.get(firstPart(table))
  const text = part ? gunzipSync(part).toString() : ''
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row)
}

/** A copy of an archive with other rows in a table, as the manifest counts them. */
export function withRows<Archive extends Forged>(
  archive: Archive,
  table: string,
  change: (rows: Row[]) => Row[],
): Archive {
  const rows = change(rowsIn(archive, table))
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const counts = { ...archive.facts.counts, [table]: rows.length }
  return withEntry({ ...archive, facts: { ...archive.facts, counts } }, firstPart(table), asPart(text))
}

export const withEntry = <Archive extends Forged>(archive: Archive, name: string, bytes: Uint8Array): Archive => ({
  ...archive,
  entries: new Map([...archive.entries, [name, bytes]]),
})
