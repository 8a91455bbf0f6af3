import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { counted } from '../../base/text.ts'
import { type Config, localUrl, misspelledSettings, readConfig } from '../../config/config.ts'
import type { Command } from '../command.ts'
import { examineDatabase } from '../doctor/examine-database.ts'
import { examineFolder, examineSecretFile } from '../doctor/examine-machine.ts'
import { examineBackups, examineMail, examinePublicUrl } from '../doctor/examine-services.ts'
import { type Finding, ok, problem } from '../doctor/remedies.ts'

/** Looks at what a server does not say itself when it starts. It changes nothing without `isFixed`. */
async function examine(isFixed: boolean): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    return [problem('setting_wrong', reasonOf(error))]
  }
  const parts = Promise.all([examineMail(config), examineBackups(config)])
  const disk = await examineFolder(config)
  const { findings, service } = await examineDatabase(config)
  const publicUrl = config.hasPublicUrl ? config.publicUrl : (service?.address ?? config.publicUrl)
  return [
    ...examineSettings(),
    ...disk,
    ...examineSecretFile(config, isFixed),
    ...findings,
    ...(await examinePublicUrl(publicUrl, service?.instance ?? null)),
    ...(await parts).flat(),
  ]
}

function examineSettings(): Finding[] {
  const misspelled = misspelledSettings()
  if (misspelled.length === 0) return [ok('settings', 'each can be read')]
  return misspelled.map(({ given, meant }) => problem('setting_misspelled', `${given} is not a setting`, { meant }))
}

export const doctorCommand: Command = {
  words: 'doctor',
  usage: '[--fix]',
  summary: 'Look for what is wrong with the server and its surroundings, and say what to do',
  details:
    'Run it with the settings of the server. It counts every vote again. Exits with 1 on a fault; a warning is none.',
  options: { fix: { type: 'boolean', about: 'Take the right to read secret.key from other users' } },
  async run({ values }) {
    const findings = await examine(values['fix'] === true)
    const [faults, warnings] = [countOf(findings, 'fault'), countOf(findings, 'warning')]
    return {
      json: { isHealthy: faults === 0, findings },
      text: [...findings.map(lineOf), conclusionOf(faults, warnings)],
      isFault: faults > 0,
    }
  },
}

const countOf = (findings: readonly Finding[], wanted: Finding['status']): number =>
  findings.filter(({ status }) => status === wanted).length

function conclusionOf(faults: number, warnings: number): string {
  const found = `${counted(faults, 'fault')} and ${counted(warnings, 'warning')}`
  if (faults > 0) return `Found ${found}: begin with the first FAULT.`
  return warnings > 0 ? `Found no fault, and ${counted(warnings, 'warning')}.` : 'Found no fault.'
}

const WORDS: Record<Finding['status'], string> = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' }

const lineOf = ({ part, status, found, advice }: Finding): string =>
  `${WORDS[status]}  ${part}: ${found}${/[.!?]$/.test(found) ? '' : '.'}${advice === null ? '' : ` ${advice}`}`

const ANSWER_MS = 5_000

/** For containers, whose image has no program that could ask. */
export const healthCommand: Command = {
  words: 'health',
  usage: '',
  summary: 'Ask the server of HOST and PORT whether it can store a vote',
  details: 'Exits with 0 if /readyz answers 200, and with 1 otherwise. `doctor` looks for the reason.',
  async run() {
    const { host, port } = readConfig()
    const url = `${localUrl(host, port)}/readyz`
    const { status } = await ask(url)
    if (status !== 200) throw new PlainFailure(`${url} answered ${status}: no vote can be stored now.`)
    return { json: { isReady: true, url }, text: `${url} answered 200: votes can be stored.` }
  },
}

async function ask(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
  } catch (error) {
    throw new PlainFailure(`${url} does not answer: ${reasonOf(error)}`)
  }
}
