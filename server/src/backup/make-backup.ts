import { PlainFailure } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { durationMs } from '../config/setting-kinds.ts'
import { openCurrentSnapshot } from '../db/snapshots/open-snapshot.ts'
import type { Snapshot } from '../db/snapshots/snapshot.ts'
import { backupName, openBackupFolder, timeOfBackup } from './backup-places.ts'
import { type BackupReport, writeSnapshot } from './write-backup.ts'

/** `made` is null if none is due, or another server makes it. `newest` is the time of the newest complete backup. */
export interface BackupOutcome {
  readonly made: (BackupReport & { readonly name: string; readonly removed: readonly string[] }) | null
  readonly newest: number | null
}

/** Makes a backup in BACKUP_URL, and then removes those beyond BACKUP_KEEP. */
export async function makeBackup(
  config: Config,
  { onlyIfDue, ...wanted }: { onlyIfDue: boolean; hasSecret: boolean },
): Promise<BackupOutcome> {
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

const isDue = (newest: number | null, every: string, now: number = Date.now()): boolean =>
  newest === null || now - newest >= durationMs(every)

function newestOf(names: readonly string[]): number | null {
  const newest = names.at(-1)
  return newest === undefined ? null : timeOfBackup(newest)
}
