import { parseArgs } from 'node:util'
import { nearest } from '../base/text.ts'
import { type Arguments, type Command, type OptionTable, optionsOf, UsageError } from './command.ts'

/** Says what is right about each wrong argument; the messages of `parseArgs` are written for programmers. */
export function readArguments(command: Command, rest: readonly string[]): Arguments {
  const options = optionsOf(command)
  const types = Object.entries(options).map(([name, { type }]) => [name, { type }] as const)
  const { tokens } = parseArgs({
    args: [...rest],
    options: Object.fromEntries(types),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const values: Record<string, string | boolean> = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (name in values) throw new UsageError(`${rawName} is given twice.`)
    values[name] = readValue(options, { name, rawName, value, isInline: inlineValue === true })
  }
  const most = command.positionals ?? 0
  if (positionals.length > most) throw new UsageError(`Unexpected argument "${positionals[most]}".`)
  return { values, positionals }
}

function readValue(
  options: OptionTable,
  { name, rawName, value, isInline }: { name: string; rawName: string; value: string | undefined; isInline: boolean },
): string | boolean {
  const option = Object.hasOwn(options, name) && rawName.startsWith('--') ? options[name] : undefined
  if (!option) throw new UsageError(unknownOption(rawName, Object.keys(options)))
  if (option.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`)
    return true
  }
  if (value === undefined) throw new UsageError(`--${name} needs a value.`)
  if (!isInline && value.startsWith('-') && value !== '-') {
    throw new UsageError(`--${name} needs a value. For a value that begins with a hyphen, write --${name}=${value}.`)
  }
  if (option.values && !option.values.includes(value)) {
    throw new UsageError(`--${name} must be one of ${option.values.join(', ')}, got "${value}".`)
  }
  return value
}

function unknownOption(given: string, names: readonly string[]): string {
  const meant = nearest(given.replace(/^-+/, ''), names)
  const hint = meant === null ? `Options: ${names.map((name) => `--${name}`).join(', ')}.` : `Did you mean --${meant}?`
  return `${given} is not an option here. ${hint}`
}
