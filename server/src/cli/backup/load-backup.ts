import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackupHead, BackupManifest } from '../../backup/archive.ts'
import { openArchive } from '../../backup/archive-reader.ts'
import { type DatabaseFindings, databaseFaults } from '../../backup/check-database.ts'
import { Isolation } from '../../base/isolation/isolated-work.ts'
import { textOfChunks } from '../../base/text.ts'
import { fillNewDatabase, type NewDatabase, type NewPlace } from '../../db/snapshots/new-database.ts'
import { StylesheetReader } from '../../features/brands/themes/stylesheet-reader.ts'
import { type CheckedLogs, checkOpenedLogs, NO_LOGS } from '../../features/log/check-logs.ts'
import { expectedFiles, FILE_FACTS, type FileFacts } from '../../files/file-keys.ts'
import type { FileStore } from '../../files/file-store.ts'
import { Decoding } from '../../files/pictures/decoding.ts'
import { ArchivePictures } from './archive-pictures.ts'
import { checkBackup } from './check-content.ts'
import { checkedTheme, reprintedStyles } from './checked-brand.ts'
import { assertKnownSchema, loadContent } from './load-content.ts'

export interface CheckedBackup {
  readonly head: BackupHead
  readonly manifest: BackupManifest
  readonly findings: DatabaseFindings
  /** Files that the database names and the backup does not hold, or holds damaged. */
  readonly missingFiles: readonly string[]
}

export interface BackupTarget {
  readonly place: NewPlace
  /** Where pictures go; null if they are only counted. */
  readonly store: FileStore | null
  secret(chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** Runs before the commit; nothing is used before. */
  finish?(checked: CheckedBackup, database: NewDatabase): Promise<void>
}

export const isolationLog = {
  warn: (_: unknown, message: string) => console.error(message),
} as ConstructorParameters<typeof Isolation>[0]

/** The child processes of one command, which end with it. */
export async function withIsolation<T>(work: (isolation: Isolation) => Promise<T>): Promise<T> {
  const isolation = new Isolation(isolationLog)
  try {
    return await work(isolation)
  } finally {
    isolation.close()
  }
}

/** Reads a backup to its end into an empty database, and checks all of it. */
export async function loadBackup(
  isolation: Isolation,
  source: AsyncIterable<Uint8Array>,
  targetOf: (head: BackupHead) => BackupTarget,
): Promise<CheckedBackup> {
  const archive = await openArchive<BackupHead, BackupManifest>(source, 'backup')
  const { head } = archive
  assertKnownSchema(head)
  const { place, store, secret, finish } = targetOf(head)
  const reader = new StylesheetReader(isolation)
  const pictures =
    store &&
    new ArchivePictures({ store, decoding: new Decoding(isolation), isOwned: async () => false, mustBeSound: false })
  return await fillNewDatabase(place, head.migrations, async (database) => {
    const { manifest, held } = await loadContent(archive, {
      database,
      tables: [...database.tables.keys()],
      isForeign: false,
      pictures,
      secret,
      dress: {
        brands(row, at) {
          checkedTheme(row, at)
          return row
        },
        theme_styles: (row) => reprintedStyles(reader, row),
      },
    })
    await database.complete(manifest.counters)
    const findings = await checkBackup(database)
    const expected = (await database.select<FileFacts>(FILE_FACTS)).flatMap(expectedFiles)
    const lost = new Set(pictures?.refused)
    const missingFiles = expected.map(({ key }) => key).filter((key) => !held.has(key) || lost.has(key))
    const checked = { head, manifest, findings, missingFiles }
    await finish?.(checked, database)
    return checked
  })
}

/** The faults of a backup, one line each. A backup with a fault must not be restored. */
export const faultsOf = ({ findings }: Pick<CheckedBackup, 'findings'>): string[] => databaseFaults(findings)

/** Checks a backup without restoring it; its database is unpacked into a temporary folder. */
export async function verifyBackup(
  source: AsyncIterable<Uint8Array>,
  secretKeys: readonly string[] = [],
): Promise<CheckedBackup & { readonly logs: CheckedLogs }> {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-verify-'))
  const secrets = [...secretKeys]
  let logs: CheckedLogs | undefined
  try {
    const target: BackupTarget = {
      place: { folder },
      store: null,
      async secret(chunks) {
        secrets.unshift((await textOfChunks(chunks)).trim())
      },
      async finish(_, database) {
        const { select, tables } = database
        if (tables.has('poll_logs')) logs = await checkOpenedLogs({ select, hasTiles: false }, async () => secrets)
      },
    }
    const checked = await withIsolation((isolation) => loadBackup(isolation, source, () => target))
    return { ...checked, logs: logs ?? NO_LOGS }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
