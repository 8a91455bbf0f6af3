import { openBackupFolder, timeOfBackup } from '../../backup/backup-places.ts'
import { isOverdue } from '../../backup/scheduled-backups.ts'
import { iso } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { type Finding, fault, listed, ok, warning } from './finding.ts'

const PART = 'backups'

export async function examineBackups({ backupPlace, backupEvery }: Config): Promise<Finding[]> {
  if (backupPlace === null) {
    return [listed(PART, 'backups_off')]
  }
  try {
    const names = await openBackupFolder(backupPlace).list()
    const newest = names.at(-1)
    if (newest === undefined) return [warning(PART, 'there is none in BACKUP_URL yet', 'Run `tossup backup`.')]
    const newestAt = timeOfBackup(newest)
    return isOverdue(newestAt, backupEvery, Date.now())
      ? [listed(PART, 'backup_overdue', { values: { when: iso(newestAt) } })]
      : [ok(PART, `${names.length}, the newest of ${iso(newestAt)}`)]
  } catch (error) {
    return [fault(PART, reasonOf(error), 'Correct BACKUP_URL.')]
  }
}
