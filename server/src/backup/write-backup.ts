import { setPriority } from 'node:os'
import { newUuid } from '../base/ids.ts'
import { type Config, version } from '../config/config.ts'
import type { Dump } from '../db/dump.ts'
import { openDump } from '../db/open-dump.ts'
import { secretFromFile } from '../db/secret-file.ts'
import { expectedFiles, FILE_FACTS, type FileFacts } from '../files/file-keys.ts'
import { streamOf } from '../files/file-store.ts'
import { openFilesBeside } from '../files/open-files.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { type BackupHead, DATABASE_FOLDER, FILES_FOLDER, SECRET_ENTRY, type SecretPlace } from './backup-format.ts'
import type { ByteProgress } from './byte-progress.ts'
import { countByTallies } from './check-database.ts'
import type { Sink } from './sinks.ts'

/** Half of the way to the lowest priority. */
const NICE = 10

export interface BackupReport {
  readonly id: string
  readonly createdAt: string
  readonly bytes: number
  readonly counts: Readonly<Record<string, number>>
  readonly files: number
  readonly missingFiles: readonly string[]
  readonly secret: SecretPlace
}

interface BackupParts {
  readonly sink: Sink
  readonly hasSecret: boolean
  readonly progress: ByteProgress
}

/**
 * Writes everything that a server needs into one archive. Call it in a process of its own: a dump of SQLite opens the files
 * of the database, and closing them would release the locks of a server in the same process.
 */
export async function writeBackup(config: Config, wanted: BackupParts): Promise<BackupReport> {
  const dump = await openDump(config)
  try {
    return await writeDump(dump, config, wanted)
  } finally {
    await dump.close()
  }
}

export async function writeDump(
  dump: Dump,
  config: Config,
  { sink, hasSecret, progress }: BackupParts,
): Promise<BackupReport> {
  letRequestsGoFirst()
  try {
    const head = await headOf(dump, config)
    const writer = await ArchiveWriter.begin(sink, head)
    // Before the data: on PostgreSQL a failed COPY ends the snapshot.
    const counts = await countByTallies(dump.select)
    const files = (await dump.select<FileFacts>(FILE_FACTS)).flatMap(expectedFiles)
    for await (const part of dump.parts()) {
      await writer.add(DATABASE_FOLDER + part.name, part.bytes, progress.count(part.chunks))
    }
    const missingFiles: string[] = []
    const store = openFilesBeside(config)
    for (const { key } of files) {
      const file = await store.read(key)
      // The file may have expired since the snapshot.
      if (file) await writer.add(FILES_FOLDER + key, file.size, progress.count(streamOf(file)))
      else missingFiles.push(key)
    }
    const secret = await addSecret(writer, config, hasSecret)
    await writer.finish({ counts, secret, missingFiles })
    const { id, createdAt } = head
    return { id, createdAt, bytes: writer.bytes, counts, files: files.length, missingFiles, secret }
  } catch (error) {
    await sink.abandon()
    throw error
  }
}

/** Votes come before backups, where they share the cores. */
function letRequestsGoFirst(): void {
  try {
    setPriority(NICE)
  } catch {
    // Some systems forbid a process to change its priority; the backup works without it.
  }
}

export async function appliedMigrations({ select }: Pick<Dump, 'select'>): Promise<string[]> {
  const applied = await select<{ name: string }>('select name from migrations order by name')
  return applied.map(({ name }) => name)
}

async function headOf(dump: Dump, { database }: Config): Promise<BackupHead> {
  return {
    format: 1,
    kind: 'backup',
    id: newUuid(),
    version,
    createdAt: new Date().toISOString(),
    engine: database.engine,
    migrations: await appliedMigrations(dump),
    tables: dump.tables,
  }
}

/** A secret in the environment is not written down: its owner keeps it. */
async function addSecret(
  writer: ArchiveWriter<BackupHead>,
  { database, secretKeys }: Config,
  isWanted: boolean,
): Promise<SecretPlace> {
  if (secretKeys.length > 0 || database.engine === 'postgres') return 'SECRET_KEY'
  const secret = secretFromFile(database.dataDir, { make: false })
  if (!isWanted || secret === null) return 'left out'
  await writer.addText(SECRET_ENTRY, `${secret}\n`)
  return 'in the backup'
}
