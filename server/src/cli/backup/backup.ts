import { fileSink, standardOutput } from '../../backup/sinks.ts'
import { type BackupReport, makeBackup, writeBackup } from '../../backup/write-backup.ts'
import { iso } from '../../base/clock.ts'
import { counted } from '../../base/text.ts'
import { readConfig } from '../../config/config.ts'
import { type Command, type Result, UsageError } from '../command.ts'

export const backupCommand: Command = {
  words: 'backup',
  usage: '[FILE|-] [--no-secret] [--if-due]',
  summary: 'Write the database, the pictures and the secret into one file, while the server runs',
  details: `With - the backup goes to standard output; without FILE it goes to BACKUP_URL. The file holds secrets: keep it as safe as the server itself.
A SECRET_KEY of the environment is never in the backup.`,
  options: {
    'no-secret': { type: 'boolean', about: 'Leave secret.key out; without it the backup cannot be used' },
    'if-due': { type: 'boolean', about: 'Only if the newest backup in BACKUP_URL is older than BACKUP_EVERY' },
  },
  positionals: 1,
  async run(given) {
    const [path] = given.positionals
    const hasSecret = given.values['no-secret'] !== true
    if (path === undefined) return backUpToPlace({ hasSecret, onlyIfDue: given.values['if-due'] === true })
    if (given.values['if-due'] === true) throw new UsageError('--if-due cannot be used with FILE.')
    const isStream = path === '-'
    if (isStream && given.values['json'] === true) throw new UsageError('--json cannot be used with -.')
    const config = readConfig()
    const sink = isStream ? standardOutput() : fileSink(path)
    const report = await writeBackup(config, { sink, hasSecret })
    for (const line of warningsOf(report)) console.error(line)
    const text = textOf(report, path)
    if (!isStream) return { json: report, text }
    console.error(text)
    return null
  },
}

async function backUpToPlace(wanted: { hasSecret: boolean; onlyIfDue: boolean }): Promise<Result> {
  const { made, newest } = await makeBackup(readConfig(), wanted)
  if (!made) return { json: { made: false, newest: newest && iso(newest) }, text: 'No backup is due.' }
  for (const line of warningsOf(made)) console.error(line)
  const removed = made.removed.length > 0 ? ` Removed ${made.removed.join(', ')}.` : ''
  return {
    json: { made: true, newest: newest && iso(newest), ...made },
    text: textOf(made, `${made.name} in BACKUP_URL`) + removed,
  }
}

const warningsOf = ({ missingFiles }: BackupReport): string[] =>
  missingFiles.length === 0
    ? []
    : [
        `Not in the file store: ${counted(missingFiles.length, 'picture')}, such as ${missingFiles[0]}. Run \`tossup verify\`.`,
      ]

function textOf({ bytes, counts, secret, id }: BackupReport, path: string): string {
  const place = path === '-' ? 'standard output' : path
  const about: Record<BackupReport['secret'], string> = {
    'in the backup': 'The secret is in the backup.',
    'left out': 'The secret is not in the backup: keep secret.key.',
    SECRET_KEY: 'The secret is not in the backup: keep SECRET_KEY.',
  }
  return `Wrote the backup ${id} to ${place}: ${counted(counts['votes'] ?? 0, 'vote')}, ${counted(counts['polls'] ?? 0, 'poll')}, ${counted(counts['files'] ?? 0, 'picture')}, ${bytes} bytes. ${about[secret]}`
}
