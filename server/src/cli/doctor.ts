import type { Command } from './command.ts'
import { examine } from './doctor/examine.ts'
import type { Finding } from './doctor/finding.ts'

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
