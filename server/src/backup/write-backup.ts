import { setPriority } from 'node:os'
import { PlainFailure } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { durationMs } from '../config/setting-kinds.ts'
import { secretFromFile } from '../db/secret-file.ts'
import { openCurrentSnapshot } from '../db/snapshots/open-snapshot.ts'
import type { Snapshot } from '../db/snapshots/snapshot.ts'
import { openFilesBeside } from '../files/open-files.ts'
import { type BackupHead, SECRET_ENTRY, type SecretPlace } from './archive.ts'
import { ArchiveWriter, newHead, writeTables } from './archive-writer.ts'
import { backupName, openBackupFolder, timeOfBackup } from './backup-places.ts'
import type { Sink } from './sinks.ts'

/**
 * Makes a backup in BACKUP_URL, and then removes those beyond BACKUP_KEEP. `made` is null if none is due, or another server makes
 * it. `newest` is the time of the newest complete backup.
 */
export async function makeBackup(config: Config, { onlyIfDue, ...wanted }: { onlyIfDue: boolean; hasSecret: boolean }) {
  const { backupPlace, backupEvery, backupsKept } = config
  if (!backupPlace) throw new PlainFailure('Give FILE, or set BACKUP_URL.')
  const folder = openBackupFolder(backupPlace)
  const snapshot = await openCurrentSnapshot(config)
  try {
    const before = await folder.list()
    const earlier = { made: null, newest: newestOf(before) }
    if (config.database.engine === 'postgres' && !(await isOnlyOne(snapshot))) {
      if (onlyIfDue) return earlier
      throw new PlainFailure(
        'Another process is making a backup in BACKUP_URL now. Run the command again when it has ended.',
      )
    }
    if (onlyIfDue && !isDue(earlier.newest, backupEvery)) return earlier
    const name = backupName(Date.now())
    const report = await writeSnapshot(snapshot, config, { sink: folder.open(name), ...wanted })
    const removed = (await folder.list()).slice(0, -backupsKept)
    for (const old of removed) await folder.remove(old)
    return { made: { ...report, name, removed }, newest: timeOfBackup(name) }
  } finally {
    await snapshot.close()
  }
}

const BACKUP_LOCK = 7_460_002

/** Several servers share a database and BACKUP_URL. The lock ends with the connection of the snapshot. */
async function isOnlyOne({ select }: Snapshot): Promise<boolean> {
  const [row] = await select<{ is_free: boolean }>(`select pg_try_advisory_lock(${BACKUP_LOCK}) as is_free`)
  return row?.is_free === true
}

const isDue = (newest: number | null, every: string): boolean =>
  newest === null || Date.now() - newest >= durationMs(every)

function newestOf(names: readonly string[]): number | null {
  const newest = names.at(-1)
  return newest === undefined ? null : timeOfBackup(newest)
}

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

async function writeSnapshot(
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
