// cli: `tossup`: finds the command, reads its arguments, runs it. The commands are in `commands/`, and each is also in the list below.
// Only `serve` loads the server, so that every other command starts fast.
import { PlainFailure } from '../base/errors.ts'
import { version } from '../config/config.ts'
import { backupCommand } from './backup/backup.ts'
import { brandExport, brandImport } from './backup/brand-archive.ts'
import { restoreCommand } from './backup/restore.ts'
import { verifyCommand } from './backup/verify.ts'
import { type Command, UsageError, usageLineOf } from './command.ts'
import { apiCommand } from './commands/api.ts'
import { appCreate, appList, appRevoke, appRotate } from './commands/app.ts'
import { brandCreate, brandDelete, brandList, brandRename } from './commands/brand.ts'
import { categoryCreate, categoryDelete, categoryList, categoryRename } from './commands/category.ts'
import { doctorCommand } from './commands/doctor.ts'
import { healthCommand } from './commands/health.ts'
import { memberInvite, memberLink, memberList, memberOperator, memberRemove } from './commands/member.ts'
import { pollCreate } from './commands/poll.ts'
import { purgeCommand } from './commands/purge.ts'
import { webhookListen } from './commands/webhook.ts'
import { findCommand, groupsOf, helpOfAll, helpOfCommand, helpOfGroup } from './help.ts'
import { migrateCommand } from './migrate.ts'
import { readArguments } from './read-arguments.ts'
import { rollbackCommand } from './rollback.ts'
import { storageMove } from './storage.ts'

const versionCommand: Command = {
  words: 'version',
  usage: '',
  summary: 'Print the version of Tossup and of its runtime',
  run: async () => ({ json: { version, bun: Bun.version }, text: `tossup ${version} (Bun ${Bun.version})` }),
}

/** In the order of `tossup help`. `serve` loads the server, so it comes from `main.ts`: a chain of imports through this file would be longer. */
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
    webhookListen,
    apiCommand,
    purgeCommand,
    backupCommand,
    restoreCommand,
    verifyCommand,
    rollbackCommand,
    doctorCommand,
    storageMove,
    versionCommand,
  ]
}

/** Exit codes: 0 done, 1 failed, 2 invalid command line. */
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
  if (names.length === 1 && groupsOf(commands).includes(group)) return helpOfGroup(group, commands)
  return helpOfCommand(findCommand(names, commands))
}

async function runCommand(words: readonly string[], commands: readonly Command[]): Promise<number> {
  const command = words[0] === '--version' ? versionCommand : findCommand(words, commands)
  const rest = words.slice(words[0] === '--version' ? 1 : command.words.split(' ').length)
  try {
    const given = readArguments(command, rest)
    const result = await command.run(given)
    if (result) console.log(given.values['json'] === true ? JSON.stringify(result.json) : result.text)
    return result?.isFault ? 1 : 0
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${error.message} Usage: ${usageLineOf(command)}`, { cause: error })
  }
}

function reportFailure(error: unknown, isJson: boolean): number {
  const isExpected = error instanceof UsageError || error instanceof PlainFailure
  const message = error instanceof Error ? error.message : String(error)
  if (isJson) console.log(JSON.stringify({ error: message }))
  console.error(isExpected || !(error instanceof Error) ? message : (error.stack ?? message))
  return error instanceof UsageError ? 2 : 1
}
