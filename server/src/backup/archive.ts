// backup: archives of the whole service and of one brand: written, and read as bytes.

import type { Counter } from '../db/snapshots/snapshot.ts'

/** Version 1 held the files of SQLite, or rows as PostgreSQL copies them. */
export const FORMAT = 2

/** The first entry of an archive. */
export interface ArchiveHead {
  readonly format: typeof FORMAT
  readonly kind: 'backup' | 'brand'
  readonly id: string
  /** The version of Tossup that made it. */
  readonly version: string
  readonly createdAt: string
  /** The migrations that had been applied. */
  readonly migrations: readonly string[]
}

export interface BackupHead extends ArchiveHead {
  readonly kind: 'backup'
}

export interface BrandHead extends ArchiveHead {
  readonly kind: 'brand'
  readonly slug: string
  readonly hasVotes: boolean
  /** The prefix of picture addresses on the exporting service. */
  readonly filesUrl: string
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
  /** The rows of each table. */
  readonly counts: Readonly<Record<string, number>>
  /** Files that the database names and the store does not have. */
  readonly missingFiles: readonly string[]
}

/** How the archive's data keys can be opened: with its own `secret.key`, or with a secret that the operator holds. */
export type SecretPlace = 'in the backup' | 'left out' | 'SECRET_KEY'

export interface BackupManifest extends ArchiveManifest {
  readonly secret: SecretPlace
  readonly counters: readonly Counter[]
}

export const HEAD = 'tossup.json'
export const MANIFEST = 'manifest.json'
export const MANIFEST_SUM = 'manifest.sha256'
export const ROWS_FOLDER = 'rows/'
export const FILES_FOLDER = 'files/'
export const SECRET_ENTRY = 'secret.key'

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>
