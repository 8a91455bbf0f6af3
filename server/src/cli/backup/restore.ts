import { archiveSource } from '../../backup/archive-reader.ts'
import { counted } from '../../base/text.ts'
import { readConfig } from '../../config/config.ts'
import { type Command, requiredArgument } from '../command.ts'
import { restoreBackup } from './restore-backup.ts'

export const restoreCommand: Command = {
  words: 'restore',
  usage: 'FILE|-',
  summary:
    'Restore a backup of either database into an empty DATA_DIR or PostgreSQL database, after checking all of it',
  details: `Settings such as DATA_DIR, DATABASE_URL and S3_URL say where to. With - the backup is read from standard input.
If a restore is interrupted, no server starts in its DATA_DIR: begin again.`,
  positionals: 1,
  async run(given) {
    const path = requiredArgument(given, 'FILE')
    const restored = await restoreBackup(readConfig(), archiveSource(path))
    const { head, findings, missingFiles } = restored
    const { votes, polls } = findings.counts
    const missing =
      missingFiles.length === 0 ? '' : ` Missing in the backup: ${counted(missingFiles.length, 'picture')}.`
    return {
      json: {
        restored: true,
        id: head.id,
        createdAt: head.createdAt,
        counts: findings.counts,
        missingFiles,
      },
      text: `Restored the backup ${head.id} of ${head.createdAt}: ${counted(votes ?? 0, 'vote')}, ${counted(polls ?? 0, 'poll')}.${missing} Start the server with \`tossup serve\`.`,
    }
  },
}
