import type { ParseArgsOptionsConfig } from 'node:util'

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
}

export interface Result {
  /** What --json prints. */
  readonly json: object
  /** What a person reads. */
  readonly text: string
}

export interface Command {
  readonly words: string
  readonly usage: string
  readonly summary: string
  readonly options?: ParseArgsOptionsConfig
  readonly positionals?: number
  /** Null when the command has printed what it had to say itself. */
  run(given: Arguments): Promise<Result | null>
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {}

export function requiredText({ values }: Arguments, name: string): string {
  const value = values[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing or empty.`)
  return value
}

/** An empty value is a mistake (a variable that was not set), never the same as leaving the option out. */
export const optionalText = (given: Arguments, name: string): string | null =>
  given.values[name] === undefined ? null : requiredText(given, name)
