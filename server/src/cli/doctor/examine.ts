import { reasonOf } from '../../base/errors.ts'
import { type Config, misspelledSettings, readConfig } from '../../config/config.ts'
import { examineBackups } from './examine-backups.ts'
import { examineDatabase } from './examine-database.ts'
import { examineFolder, examineOpenFiles } from './examine-machine.ts'
import { examineMail } from './examine-mail.ts'
import { examineBucket, examinePublicUrl, examineRedis, examineServer } from './examine-services.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

/** Looks at everything that a server depends on. It changes nothing, apart from files that it writes and removes. */
export async function examine(): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    return [fault('settings', reasonOf(error), 'Correct the variable; docs/guides/settings.md lists the settings.')]
  }
  const parts = await Promise.all([
    examineBucket(config),
    examineRedis(config),
    examineMail(config),
    examinePublicUrl(config),
    examineServer(config),
    examineBackups(config),
  ])
  return [
    ...examineSettings(),
    ...(await examineFolder(config)),
    ...(await examineDatabase(config)),
    ...parts.flat(),
    examineOpenFiles(config),
  ]
}

function examineSettings(): Finding[] {
  const misspelled = misspelledSettings()
  if (misspelled.length === 0) return [ok('settings', 'each can be read')]
  return misspelled.map(({ given, meant }) =>
    warning('settings', `${given} is not a setting`, `Did you mean ${meant}?`),
  )
}
