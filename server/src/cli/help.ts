import { nearest } from '../base/text.ts'
import { type Setting, settings } from '../config/settings.ts'
import { type Command, optionsOf, UsageError, usageLineOf } from './command.ts'

const INDENT = '  '

/** Every help has this form: usage, what the command does, its options. */
export function helpOfCommand(command: Command): string {
  const options = Object.entries(optionsOf(command)).map(
    ([name, { about }]): Row => [`--${name}${valueNameOf(command, name)}`, about],
  )
  const details = command.details ? ['', command.details] : []
  return [
    `Usage: ${usageLineOf(command)}`,
    '',
    `${command.summary}.`,
    ...details,
    '',
    'Options:',
    ...table(options),
  ].join('\n')
}

export function helpOfGroup(group: string, commands: readonly Command[]): string {
  const rows = commandsOfGroup(group, commands).map(({ words, summary }): Row => [`tossup ${words}`, summary])
  return [`Usage: tossup ${group} COMMAND [--json]`, '', ...table(rows), '', MORE].join('\n')
}

export function helpOfAll(commands: readonly Command[]): string {
  const rows = commands.map(({ words, summary }): Row => [`tossup ${words}`, summary])
  return ['Usage: tossup COMMAND [--json]', '', 'Tossup: two-option polls.', '', ...table(rows), '', MORE].join('\n')
}

/** The table of the guide, without its marks. */
export function helpOfSettings(): string {
  const plain = (text: string) => text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
  const lines = Object.values<Setting>(settings).flatMap(({ name, meaning, fallback, shownDefault }) => [
    `${name} (default: ${plain(shownDefault ?? String(fallback))})`,
    `${INDENT}${plain(meaning)}`,
  ])
  return ['Settings are environment variables.', '', ...lines].join('\n')
}

const MORE =
  'For the options of a command, add --help. The settings are environment variables: tossup help settings lists them.\nExit codes: 0 success, 1 failure, 2 wrong usage.'

/** The command whose words `given` begins with. Words that name only a group, or nothing, are wrong usage. */
export function findCommand(given: readonly string[], commands: readonly Command[]): Command {
  const found = commands.find(({ words }) => words.split(' ').every((word, i) => given[i] === word))
  if (found) return found
  const [group = ''] = given
  const members = commandsOfGroup(group, commands)
  if (members.length > 0) throw new UsageError(missingWord(group, given[1], members))
  const typed = given.slice(0, 2).join(' ')
  const words = commands.map((command) => command.words)
  const meant = nearest(typed, words) ?? nearest(group, [...words, ...groupsOf(commands)])
  const hint = meant === null ? 'Run `tossup help` for the list of commands.' : `Did you mean \`tossup ${meant}\`?`
  throw new UsageError(`Unknown command "${group}". ${hint}`)
}

function missingWord(group: string, second: string | undefined, members: readonly Command[]): string {
  const words = members.map((command) => command.words.slice(group.length + 1))
  if (second === undefined || second.startsWith('-')) return `After "${group}" comes one of: ${words.join(', ')}.`
  const meant = nearest(second, words)
  const hint = meant === null ? `Use one of: ${words.join(', ')}.` : `Did you mean \`tossup ${group} ${meant}\`?`
  return `Unknown command "${group} ${second}". ${hint}`
}

const commandsOfGroup = (group: string, commands: readonly Command[]): Command[] =>
  commands.filter(({ words }) => words.startsWith(`${group} `))

export const groupsOf = (commands: readonly Command[]): string[] => [
  ...new Set(commands.flatMap(({ words }) => (words.includes(' ') ? [words.split(' ')[0] ?? ''] : []))),
]

/** The word that stands for the value of an option in the usage. */
const valueNameOf = ({ usage }: Command, option: string): string =>
  new RegExp(`--${option} ([^\\s\\]]+)`).exec(usage)?.[0].slice(`--${option}`.length) ?? ''

type Row = readonly [left: string, right: string]

function table(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${INDENT}${left.padEnd(width)}${INDENT}${right}`)
}
