// backup: archives of the whole service and of one brand: written, checked, and read again.

/** The first entry of an archive. */
export interface ArchiveHead {
  readonly format: 1
  readonly kind: 'backup' | 'brand'
  readonly id: string
  /** The version of Tossup that made it. */
  readonly version: string
  readonly createdAt: string
}

export interface ArchiveEntry {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** The last entry: an archive without it is incomplete. */
export interface ArchiveManifest {
  readonly id: string
  readonly entries: readonly ArchiveEntry[]
}

export const HEAD = 'tossup.json'
export const MANIFEST = 'manifest.json'
export const MANIFEST_SUM = 'manifest.sha256'

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>
