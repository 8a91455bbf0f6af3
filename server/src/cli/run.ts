// cli: `tossup`: finds the command, reads its arguments, runs it. Each command is in the list below.
// Only `serve` loads the server, so that every other command starts fast.

import { parseArgs } from 'node:util'
import { PlainFailure, reasonOf } from '../base/errors.ts'
import { commitId } from '../base/own-texts.ts'
import { printable, printableJson } from '../base/text.ts'
import { version } from '../config/config.ts'
import { backupCommand } from './backup/backup.ts'
import { brandExport, brandImport } from './backup/brand-archive.ts'
import { restoreCommand } from './backup/restore-backup.ts'
import { verifyCommand } from './backup/verify.ts'
import { type Arguments, type Command, optionsOf, type Result, UsageError, usageLineOf } from './command.ts'
import { apiCommand } from './commands/api.ts'
import { appCreate, appList, appRevoke, appRotate } from './commands/app.ts'
import { brandCreate, brandDelete, brandList, brandRename } from './commands/brand.ts'
import { categoryCreate, categoryDelete, categoryList, categoryRename } from './commands/category.ts'
import { codeIssue, codeListCreate, codeListDelete, codeListList, codeRevoke } from './commands/code.ts'
import { doctorCommand, healthCommand } from './commands/doctor.ts'
import { logMirrorCommand, logRestart } from './commands/log.ts'
import { mcpCommand } from './commands/mcp.ts'
import { memberInvite, memberLink, memberList, memberOperator, memberRemove } from './commands/member.ts'
import { pollCreate } from './commands/poll.ts'
import { purgeCommand } from './commands/purge.ts'
import { verifyLogCommand } from './commands/verify-log.ts'
import { webhookListen } from './commands/webhook.ts'
import { findCommand, groupsOf, helpOfAll, helpOfCommand, helpOfGroup, helpOfSettings } from './help.ts'
import { migrateCommand } from './migrate.ts'
import { storageMove } from './storage.ts'

const versionCommand: Command = {
  words: 'version',
  usage: '',
  summary: 'Print the version of Tossup, its commit if it is known, and the version of its runtime',
  async run() {
    const commit = commitId()
    const text = `tossup ${version} (${commit === null ? '' : `commit ${commit}, `}Bun ${Bun.version})`
    return { json: { version, commit, bun: Bun.version }, text }
  },
}

/** In the order of `tossup help`. `serve` loads the server, so it comes from `main.ts`. */
function commandsWith(serve: Command): readonly Command[] {
  return [
    serve,
    healthCommand,
    migrateCommand,
    brandCreate,
    brandExport,
    brandImport,
    brandList,
    brandRename,
    brandDelete,
    appCreate,
    appList,
    appRotate,
    appRevoke,
    memberInvite,
    memberLink,
    memberList,
    memberRemove,
    memberOperator,
    categoryCreate,
    categoryList,
    categoryRename,
    categoryDelete,
    pollCreate,
    codeListCreate,
    codeListList,
    codeListDelete,
    codeIssue,
    codeRevoke,
    logRestart,
    webhookListen,
    apiCommand,
    mcpCommand,
    purgeCommand,
    backupCommand,
    restoreCommand,
    verifyCommand,
    verifyLogCommand,
    logMirrorCommand,
    doctorCommand,
    storageMove,
    versionCommand,
  ]
}

/** Exit codes: 0 done, 1 failed, 2 invalid command line; others are of a command. */
export async function runCommandLine(given: readonly string[], serve: Command): Promise<number> {
  const commands = commandsWith(serve)
  // `tossup help brand` is `tossup brand --help`.
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  if (words.length === 0) {
    console.log(helpOfAll(commands))
    return 2
  }
  try {
    const help = helpFor(words, commands)
    if (help === null) return await runCommand(words, commands)
    console.log(help)
    return 0
  } catch (error) {
    return reportFailure(error, words.includes('--json'))
  }
}

/** The help that the words ask for, or null. It is given even if other words are wrong. */
function helpFor(words: readonly string[], commands: readonly Command[]): string | null {
  const end = words.indexOf('--')
  const options = end === -1 ? words : words.slice(0, end)
  if (!options.some((word) => word === '--help' || word === '-h')) return null
  const names = words.filter((word) => !word.startsWith('-'))
  const [group] = names
  if (group === undefined) return helpOfAll(commands)
  if (names.join() === 'settings') return helpOfSettings()
  if (names.length === 1 && groupsOf(commands).includes(group)) return helpOfGroup(group, commands)
  return helpOfCommand(findCommand(names, commands))
}

async function runCommand(words: readonly string[], commands: readonly Command[]): Promise<number> {
  const command = words[0] === '--version' ? versionCommand : findCommand(words, commands)
  const rest = words.slice(words[0] === '--version' ? 1 : command.words.split(' ').length)
  try {
    const given = readArguments(command, rest)
    const result = await command.run(given)
    if (result) console.log(given.values['json'] === true ? printableJson(result.json) : linesOf(result.text))
    return result?.exitCode ?? (result?.isFault ? 1 : 0)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${error.message} Usage: ${usageLineOf(command)}`, { cause: error })
  }
}

const linesOf = (text: Result['text']): string => [text].flat().map(printable).join('\n')

/** An error of the interface, told by this program or by a server that it asked. */
interface Told {
  readonly code: string
  readonly message: string
  readonly details: object
  readonly requestId?: string | null
}

const isTold = (cause: unknown): cause is Told => cause instanceof Error && 'code' in cause && 'details' in cause

function reportFailure(error: unknown, isJson: boolean): number {
  const isUsage = error instanceof UsageError
  const isExpected = isUsage || error instanceof PlainFailure
  const message = error instanceof Error ? error.message : String(error)
  if (isJson) {
    const failed = isExpected ? 'FAILED' : 'INTERNAL'
    const own: Told = { code: isUsage ? 'USAGE' : failed, message, details: {} }
    const { code, message: said, details, requestId = null } = isExpected && isTold(error.cause) ? error.cause : own
    console.log(printableJson({ error: { code, message: said, details, requestId } }))
  }
  const shown = isExpected || !(error instanceof Error) ? message : (error.stack ?? message)
  console.error(linesOf(shown.split('\n')))
  return isUsage ? 2 : 1
}

function readArguments(command: Command, rest: readonly string[]): Arguments {
  const options = optionsOf(command)
  const { values, positionals, tokens } = parsed(rest, options)
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const twice = given.find((name, at) => given.indexOf(name) < at)
  if (twice !== undefined) throw new UsageError(`--${twice} is given twice.`)
  for (const [name, { values: allowed }] of Object.entries(options)) {
    const value = values[name]
    if (typeof value === 'string' && allowed && !allowed.includes(value))
      throw new UsageError(`--${name} must be one of ${allowed.join(', ')}, got "${value}".`)
  }
  const most = command.positionals ?? 0
  if (positionals.length > most) throw new UsageError(`Unexpected argument "${positionals[most]}".`)
  return { values, positionals }
}

function parsed(rest: readonly string[], options: ReturnType<typeof optionsOf>) {
  const types = Object.entries(options).map(([name, { type }]) => [name, { type }] as const)
  try {
    return parseArgs({ args: [...rest], options: Object.fromEntries(types), allowPositionals: true, tokens: true })
  } catch (error) {
    // How to pass a positional that begins with a hyphen: no command has one.
    const problem = reasonOf(error)
      .replace(/ To specify a positional.*/s, '')
      .replaceAll('\n', ' ')
    throw new UsageError(problem.replace(/\.?$/, '.'))
  }
}
