import { createInterface } from 'node:readline/promises'
import { PlainFailure } from '../base/errors.ts'

interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** The description of the option in --help. */
  readonly about: string
  /** The possible values. */
  readonly values?: readonly string[]
}

type OptionTable = Readonly<Record<string, CommandOption>>

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
}

export interface Result {
  /** Printed with --json. */
  readonly json: object
  /** Printed without --json: a line, or several. What others wrote is escaped in each, so that it forges no line. */
  readonly text: string | readonly string[]
  /** The command has done its work and found a fault: exit code 1. */
  readonly isFault?: boolean
  /** In place of 0 or 1, where a command has more to tell. */
  readonly exitCode?: number
}

export interface Command {
  readonly words: string
  /** The options and arguments in one line. The word after an option names its value in --help. */
  readonly usage: string
  readonly summary: string
  readonly options?: OptionTable
  /** The most arguments that are not options. */
  readonly positionals?: number
  /** More paragraphs for --help. */
  readonly details?: string
  /** Null if the command has already printed its output. */
  run(given: Arguments): Promise<Result | null>
}

/** The command line is invalid: exit code 2. */
export class UsageError extends Error {}

/** The options of every command. */
const COMMON_OPTIONS: OptionTable = {
  json: { type: 'boolean', about: 'Print one JSON object on standard output' },
  help: { type: 'boolean', about: 'Print this help' },
}

export const optionsOf = ({ options }: Pick<Command, 'options'>): OptionTable => ({ ...options, ...COMMON_OPTIONS })

export const usageLineOf = ({ words, usage }: Pick<Command, 'words' | 'usage'>): string =>
  `tossup ${words}${usage ? ` ${usage}` : ''} [--json]`

export function requiredText({ values }: Arguments, name: string): string {
  const value = values[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing or empty.`)
  return value
}

/** An empty value is an error, such as an unset variable, and never means that the option was left out. */
export const optionalText = (given: Arguments, name: string): string | null =>
  given.values[name] === undefined ? null : requiredText(given, name)

/** An option that is a whole number; `text` is its value or its default. */
export function wholeNumber(name: string, text: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text)
  if (/^\d{1,6}$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, got "${text}".`)
}

export function requiredArgument({ positionals: [value] }: Arguments, name: string): string {
  if (!value) throw new UsageError(`${name} is missing or empty.`)
  return value
}

/** Asks on a terminal before something that cannot be undone, unless --yes is given: says `what` will happen, and lets `word` be typed. */
export async function confirm(
  { values }: Pick<Arguments, 'values'>,
  { what, word }: { what: string; word: string },
): Promise<void> {
  if (values['yes'] === true) return
  if (!process.stdin.isTTY) {
    // A refusal is one line, unless it lists steps.
    const space = what.includes('\n') ? '\n' : ' '
    throw new UsageError(`${what}${space}There is no terminal to ask on. Add --yes to do it.`)
  }
  const answer = await ask(`${what}\nType ${word} to do it: `)
  if (answer.trim() !== word) throw new PlainFailure('Nothing was changed.')
}

/** Asks on standard error, so that standard output holds only results. The end of the input is an empty answer. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return await Promise.race([lines.question(question), ended])
  } finally {
    lines.close()
  }
}
