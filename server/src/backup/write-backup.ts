import { setPriority } from 'node:os'
import type { Config } from '../config/config.ts'
import { secretFromFile } from '../db/secret-file.ts'
import { openCurrentSnapshot } from '../db/snapshots/open-snapshot.ts'
import type { Snapshot } from '../db/snapshots/snapshot.ts'
import { openFilesBeside } from '../files/open-files.ts'
import { type BackupHead, SECRET_ENTRY, type SecretPlace } from './archive.ts'
import { ArchiveWriter } from './archive-writer.ts'
import type { Sink } from './sinks.ts'
import { newHead, writeTables } from './write-tables.ts'

/** The order in which PostgreSQL keeps these rows is that in which codes voted. */
const ORDERS: Readonly<Record<string, string>> = { code_uses: ' order by poll_key, hash' }

/** The lowest priority. */
const NICE = 19

export interface BackupReport {
  readonly id: string
  readonly createdAt: string
  readonly bytes: number
  readonly counts: Readonly<Record<string, number>>
  readonly missingFiles: readonly string[]
  readonly secret: SecretPlace
}

interface BackupParts {
  readonly sink: Sink
  readonly hasSecret: boolean
}

/** Writes everything that a server needs into one archive. Call it in a process of its own, as `openSqliteSnapshot` says. */
export async function writeBackup(config: Config, wanted: BackupParts): Promise<BackupReport> {
  const snapshot = await openCurrentSnapshot(config)
  try {
    return await writeSnapshot(snapshot, config, wanted)
  } finally {
    await snapshot.close()
  }
}

export async function writeSnapshot(
  snapshot: Snapshot,
  config: Config,
  { sink, hasSecret }: BackupParts,
): Promise<BackupReport> {
  letRequestsGoFirst()
  try {
    const head: BackupHead = newHead('backup')
    const writer = await ArchiveWriter.begin(sink, head)
    const tables = snapshot.tables.map((name) => ({ name, query: `select * from ${name}${ORDERS[name] ?? ''}` }))
    const written = await writeTables(writer, { snapshot, tables }, { store: openFilesBeside(config) })
    const secret = await addSecret(writer, config, hasSecret)
    await writer.finish({ ...written, secret, counters: await snapshot.readCounters() })
    return { id: head.id, createdAt: head.createdAt, bytes: writer.bytes, ...written, secret }
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
