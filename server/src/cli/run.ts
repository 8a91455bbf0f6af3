// cli: the commands of `tossup`, one file each, and the demo.
// Imports rooms: base, bus, db, features.
// Only `serve` loads the server, so that every other command starts fast.

import { parseArgs } from 'node:util'
import { PlainFailure } from '../base/errors.ts'
import { appCreate, appList, appRevoke } from './app.ts'
import { brandCreate } from './brand.ts'
import { categoryCreate } from './category.ts'
import { type Command, UsageError } from './command.ts'
import { migrateCommand } from './migrate.ts'
import { purgeCommand } from './purge.ts'
import { serveCommand } from './serve.ts'
import { webhookListen } from './webhook.ts'

const COMMANDS: readonly Command[] = [
  serveCommand,
  migrateCommand,
  brandCreate,
  appCreate,
  appList,
  appRevoke,
  categoryCreate,
  webhookListen,
  purgeCommand,
]

/** Exit codes: 0 done, 1 failed, 2 the command line is wrong. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  if (words.length === 0 || words[0] === 'help' || words[0] === '--help') {
    console.log(help())
    return words.length === 0 ? 2 : 0
  }
  try {
    const command = findCommand(words)
    await runCommand(command, words.slice(command.words.split(' ').length))
    return 0
  } catch (error) {
    return reportFailure(error, words.includes('--json'))
  }
}

function findCommand(words: readonly string[]): Command {
  const command = COMMANDS.find((candidate) => {
    const parts = candidate.words.split(' ')
    return parts.every((part, i) => words[i] === part)
  })
  if (!command) throw new UsageError('There is no such command. Try: tossup help')
  return command
}

async function runCommand(command: Command, rest: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(command, rest)
  if (values['help'] === true) {
    console.log(`${usageOf(command)}\n${command.summary}`)
    return
  }
  const result = await command.run({ values, positionals })
  if (result) console.log(values['json'] === true ? JSON.stringify(result.json) : result.text)
}

function readArguments(command: Command, rest: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...rest],
      options: { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    })
    if (positionals.length > (command.positionals ?? 0)) throw new UsageError(`"${positionals.at(-1)}" is too much.`)
    return { values: values as Record<string, string | boolean | undefined>, positionals }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error} Usage: ${usageOf(command)}`, {
      cause: error,
    })
  }
}

const usageOf = ({ words, usage }: Command): string => `tossup ${words}${usage ? ` ${usage}` : ''} [--json]`

function help(): string {
  const lines = COMMANDS.map((command) => `  ${usageOf(command)}\n      ${command.summary}`)
  return ['Tossup: two-option polls', '', ...lines].join('\n')
}

function reportFailure(error: unknown, isJson: boolean): number {
  const isExpected = error instanceof UsageError || error instanceof PlainFailure
  const message = error instanceof Error ? error.message : String(error)
  if (isJson) console.log(JSON.stringify({ error: message }))
  console.error(isExpected || !(error instanceof Error) ? message : (error.stack ?? message))
  return error instanceof UsageError ? 2 : 1
}
