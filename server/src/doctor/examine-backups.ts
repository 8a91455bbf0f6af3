import { openBackupFolder, timeOfBackup } from '../backup/backup-places.ts'
import { isOverdue } from '../backup/scheduled-backups.ts'
import { iso } from '../base/clock.ts'
import { reasonOf } from '../base/errors.ts'
import type { Config } from '../config.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const PART = 'backups'

export async function examineBackups({ backupPlace, backupEvery }: Config): Promise<Finding[]> {
  if (backupPlace === null) {
    return [warning(PART, 'the server makes none by itself', 'Set BACKUP_URL, or run `tossup backup` from a timer.')]
  }
  try {
    const names = await openBackupFolder(backupPlace).list()
    const newest = names.at(-1)
    if (newest === undefined) return [warning(PART, 'there is none in BACKUP_URL yet', 'Run `tossup backup`.')]
    const newestAt = timeOfBackup(newest)
    const found = `${names.length}, the newest of ${iso(newestAt)}`
    if (!isOverdue(newestAt, backupEvery, Date.now())) return [ok(PART, found)]
    return [
      fault(
        PART,
        `${found}, which is older than BACKUP_EVERY`,
        'The log of the server names the cause; then run `tossup backup`.',
      ),
    ]
  } catch (error) {
    return [fault(PART, reasonOf(error), 'Correct BACKUP_URL.')]
  }
}
