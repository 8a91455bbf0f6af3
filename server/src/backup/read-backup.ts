import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PlainFailure } from '../base/errors.ts'
import type { Dump } from '../db/dump.ts'
import type { LoadedParts } from '../db/loaded-parts.ts'
import { migrationNames } from '../db/migrate.ts'
import { loadSqliteFiles } from '../db/sqlite/loaded-files.ts'
import { loadRows } from '../db/sqlite/loaded-rows.ts'
import { isBeforeBaseline, isSquashed } from '../db/squashed-migrations.ts'
import { expectedFiles, FILE_FACTS, type FileFacts } from '../files/file-keys.ts'
import { readArchive } from './archive-reader.ts'
import { type BackupHead, type BackupManifest, DATABASE_FOLDER, FILES_FOLDER, SECRET_ENTRY } from './backup-format.ts'
import type { ByteProgress } from './byte-progress.ts'
import { checkDatabase, type DatabaseFindings } from './check-database.ts'

/** Where the content of a backup goes. */
export interface BackupTarget {
  readonly database: LoadedParts
  file(key: string, bytes: number, chunks: AsyncIterable<Uint8Array>): Promise<void>
  secret(chunks: AsyncIterable<Uint8Array>): Promise<void>
}

export interface CheckedBackup {
  readonly head: BackupHead
  readonly manifest: BackupManifest
  readonly findings: DatabaseFindings
  /** Files that the database names and the backup does not hold. */
  readonly missingFiles: readonly string[]
}

export interface ReadBackup extends CheckedBackup {
  /** Queries the loaded database. */
  readonly select: Dump['select']
}

interface BackupSource {
  readonly source: AsyncIterable<Uint8Array>
  readonly progress: ByteProgress
  open(head: BackupHead): Promise<BackupTarget>
}

/** Reads a backup to its end, and checks its bytes and then its content. Nothing is used before. */
export async function readBackup({ source, progress, open }: BackupSource): Promise<ReadBackup> {
  const opened: LoadedParts[] = []
  const held = new Set<string>()
  const { head, manifest } = await readArchive<BackupHead, BackupManifest>(progress.count(source), {
    kind: 'backup',
    async begin(begun) {
      // The files of SQLite are taken as they are: the next start converts them.
      const isConvertible = begun.engine === 'sqlite' && isBeforeBaseline('sqlite', begun.migrations)
      if (!isConvertible) assertKnownSchema(begun)
      const to = await open(begun)
      opened.push(to.database)
      return async ({ name, bytes, chunks }) => {
        if (name.startsWith(DATABASE_FOLDER)) return to.database.take(name.slice(DATABASE_FOLDER.length), chunks)
        if (name === SECRET_ENTRY) return to.secret(chunks)
        if (!name.startsWith(FILES_FOLDER)) throw new PlainFailure(`The backup holds "${name}", which is unknown.`)
        const key = name.slice(FILES_FOLDER.length)
        held.add(key)
        return to.file(key, bytes, chunks)
      }
    },
  })
  const [database] = opened
  if (!database) throw new Error('an archive was read without its head')
  const { select } = await database.ready()
  const findings = await checkDatabase(select, head.engine)
  const expected = (await select<FileFacts>(FILE_FACTS)).flatMap(expectedFiles)
  const missingFiles = expected.map(({ key }) => key).filter((key) => !held.has(key))
  return { head, manifest, findings, missingFiles, select }
}

export function assertKnownSchema({ migrations, version }: Pick<BackupHead, 'migrations' | 'version'>): void {
  const known = migrationNames()
  const unknown = migrations.find((name) => !known.includes(name))
  if (unknown === undefined) return
  if (isSquashed(unknown)) {
    throw new PlainFailure(
      `The archive is of Tossup ${version}, whose schema is older than this version can read: it has the migration ${unknown}.`,
    )
  }
  throw new PlainFailure(
    `The archive is of Tossup ${version}, whose schema is newer than that of this version: it has the migration ${unknown}.`,
  )
}

/** The faults of a backup, one line each. A backup with a fault must not be restored. */
export function faultsOf({ manifest, findings }: Pick<CheckedBackup, 'manifest' | 'findings'>): string[] {
  const { counts } = findings
  const miscounted = Object.entries(manifest.counts).filter(([table, count]) => counts[table] !== count)
  return [
    ...databaseFaults(findings),
    ...miscounted.map(([table, count]) => `The database has ${counts[table]} ${table}, and the manifest ${count}.`),
  ]
}

export const databaseFaults = ({ wrongPolls, damage }: DatabaseFindings): string[] => [
  ...damage.map((line) => `The database is damaged: ${line}.`),
  ...wrongPolls.map(
    ({ pollId, tally, votes }) =>
      `The tally of poll ${pollId ?? 'without a row'} is ${tally.optionA}:${tally.optionB}, and its votes are ${votes.optionA}:${votes.optionB}.`,
  ),
]

/** Checks a backup without restoring it; its database is unpacked into a temporary folder. */
export async function verifyBackup(source: AsyncIterable<Uint8Array>, progress: ByteProgress): Promise<CheckedBackup> {
  const folder = mkdtempSync(join(tmpdir(), 'tossup-verify-'))
  const opened: LoadedParts[] = []
  try {
    return await readBackup({
      source,
      progress,
      async open(head) {
        const database = head.engine === 'sqlite' ? loadSqliteFiles(folder) : loadRows(folder, head)
        opened.push(database)
        return { database, file: (_key, _bytes, chunks) => skip(chunks), secret: skip }
      },
    })
  } finally {
    for (const database of opened) await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function skip(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}
