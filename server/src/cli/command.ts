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
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing.`)
  return value
}

export function optionalText({ values }: Arguments, name: string): string | null {
  const value = values[name]
  return typeof value === 'string' && value !== '' ? value : null
}
