import { parseArgs } from 'node:util'
import { reasonOf } from '../base/errors.ts'
import { type Arguments, type Command, optionsOf, UsageError } from './command.ts'

export function readArguments(command: Command, rest: readonly string[]): Arguments {
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
