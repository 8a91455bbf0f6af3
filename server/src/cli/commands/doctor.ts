import { reasonOf } from '../../base/errors.ts'
import { type Config, misspelledSettings, readConfig } from '../../config/config.ts'
import type { Command } from '../command.ts'
import { examineDatabase } from '../doctor/examine-database.ts'
import { examineFolder, examineOpenFiles } from '../doctor/examine-machine.ts'
import {
  examineBackups,
  examineBucket,
  examineMail,
  examinePublicUrl,
  examineRedis,
  examineServer,
} from '../doctor/examine-services.ts'
import { type Finding, fault, ok, warning } from '../doctor/finding.ts'

/** Looks at everything that a server depends on. It changes nothing, apart from files that it writes and removes. */
async function examine(): Promise<Finding[]> {
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

export const doctorCommand: Command = {
  words: 'doctor',
  usage: '',
  summary: 'Look for what is wrong with the server and its surroundings, and say what to do',
  details:
    'Run it with the settings of the server. It counts every vote again. Exits with 1 on a fault; a warning is none.',
  async run() {
    const findings = await examine()
    const faults = findings.filter(({ status }) => status === 'fault').length
    return {
      json: { isHealthy: faults === 0, findings },
      text: findings.map(lineOf).join('\n'),
      isFault: faults > 0,
    }
  },
}

const WORDS: Record<Finding['status'], string> = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' }

const lineOf = ({ part, status, found, advice }: Finding): string =>
  `${WORDS[status]}  ${part}: ${found}${/[.!?]$/.test(found) ? '' : '.'}${advice === null ? '' : ` ${advice}`}`
