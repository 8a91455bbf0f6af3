import type { EngineName } from '../db/dialect.ts'
import type { DumpedTable } from '../db/dump.ts'
import type { ArchiveHead, ArchiveManifest } from './archive.ts'

export interface BackupHead extends ArchiveHead {
  readonly kind: 'backup'
  readonly engine: EngineName
  readonly migrations: readonly string[]
  readonly tables: readonly DumpedTable[]
}

/** How the archive's data keys can be opened: with its own `secret.key`, or with a secret that the operator holds. */
export type SecretPlace = 'in the backup' | 'left out' | 'SECRET_KEY'

export interface BackupManifest extends ArchiveManifest {
  readonly counts: Readonly<Record<string, number>>
  readonly secret: SecretPlace
  /** Files that the database names and the store does not have. */
  readonly missingFiles: readonly string[]
}

export const DATABASE_FOLDER = 'database/'
export const FILES_FOLDER = 'files/'
export const SECRET_ENTRY = 'secret.key'
