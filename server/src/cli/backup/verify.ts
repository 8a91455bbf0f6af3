import { archiveSource } from '../../backup/archive-reader.ts'
import { checkDatabase, checkFiles, type DatabaseFindings, databaseFaults } from '../../backup/check-database.ts'
import { counted } from '../../base/text.ts'
import { readConfig } from '../../config/config.ts'
import { secretsOf } from '../../db/open.ts'
import { openCurrentSnapshot } from '../../db/snapshots/open-snapshot.ts'
import { type CheckedLogs, checkOpenedLogs } from '../../features/log/check-logs.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import type { Command, Result } from '../command.ts'
import { faultsOf, verifyBackup } from './load-backup.ts'

export const verifyCommand: Command = {
  words: 'verify',
  usage: '[FILE|-]',
  summary: 'Check a backup, or the database and the pictures of this server: votes, positions, tallies, logs, files',
  details: 'Exits with 1 if anything is wrong. A backup is unpacked into a temporary folder: TMPDIR names another one.',
  positionals: 1,
  run: ({ positionals: [path] }) => (path ? verifyArchive(path) : verifyLive()),
}

async function verifyArchive(path: string): Promise<Result> {
  const checked = await verifyBackup(archiveSource(path), readConfig().secretKeys)
  const { head, manifest, findings, missingFiles, logs } = checked
  const about = { id: head.id, createdAt: head.createdAt, version: head.version }
  const faults = [
    ...faultsOf(checked),
    ...logs.faults,
    ...missingFiles.map((key) => `The picture ${key} is not in the backup.`),
  ]
  return resultOf(faults, { ...about, secret: manifest.secret, ...findings, logs, missingFiles })
}

async function verifyLive(): Promise<Result> {
  const config = readConfig()
  const snapshot = await openCurrentSnapshot(config)
  try {
    const findings = await checkDatabase(snapshot)
    const files = await checkFiles(snapshot.select, openFilesBeside(config))
    const logs = await checkOpenedLogs({ ...snapshot, hasTiles: true }, async () => secretsOf(config, { isNew: false }))
    const faults = [
      ...databaseFaults(findings),
      ...logs.faults,
      ...files.missing.map((key) => `The picture ${key} is not in the file store.`),
      ...files.wrongSize.map((key) => `The picture ${key} has another size than the database says.`),
    ]
    return resultOf(faults, { ...findings, logs, missingFiles: files.missing, wrongSize: files.wrongSize })
  } finally {
    await snapshot.close()
  }
}

const MOST_SHOWN = 20

function resultOf(
  faults: readonly string[],
  facts: DatabaseFindings & Readonly<Record<string, unknown>> & { readonly logs: CheckedLogs },
): Result {
  const { votes, polls, files } = facts.counts
  const { unchecked } = facts.logs
  const notes = unchecked === null ? [] : [`The logs of polls were not checked: ${unchecked}`]
  const shown = faults.slice(0, MOST_SHOWN)
  const more = faults.length > shown.length ? [`and ${faults.length - shown.length} more`] : []
  const sound = `No fault found: ${counted(votes ?? 0, 'vote')}, ${counted(polls ?? 0, 'poll')}, ${counted(files ?? 0, 'picture')}.`
  const text = [...(faults.length === 0 ? [sound] : [...shown, ...more]), ...notes]
  return { json: { isSound: faults.length === 0, faults, ...facts }, text, isFault: faults.length > 0 }
}
