import { type Command, optionsOf, type Result, requiredArgument, UsageError } from './command.ts'
import { commandsOfGroup, groupsOf } from './help.ts'

const SHELLS = ['bash', 'zsh'] as const

/** Prints a script that completes commands, options and their values. It is generated from the table of commands. */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  words: 'completion',
  usage: SHELLS.join('|'),
  summary: 'Print a script that completes commands and options in a shell',
  details: `bash: eval "$(tossup completion bash)" in ~/.bashrc.
zsh: eval "$(tossup completion zsh)" in ~/.zshrc, after compinit.`,
  positionals: 1,
  async run(given): Promise<Result> {
    const name = requiredArgument(given, SHELLS.join(' or '))
    const shell = SHELLS.find((each) => each === name)
    if (!shell) throw new UsageError(`"${name}" is not a supported shell. Use one of: ${SHELLS.join(', ')}.`)
    const script = shell === 'bash' ? bashScript(commands()) : zshScript(commands())
    return { json: { shell, script }, text: script }
  },
})

interface Offer {
  /** The text before the word to complete: the words of a command, and an option that takes a value. */
  readonly before: string
  readonly words: readonly string[]
  readonly areFilesOffered: boolean
}

function offersOf(commands: readonly Command[]): { values: Offer[]; commands: Offer[]; groups: Offer[] } {
  const groups = groupsOf(commands)
  const first = [...commands.filter(({ words }) => !words.includes(' ')).map(({ words }) => words), ...groups, 'help']
  return {
    values: commands.flatMap((command) =>
      Object.entries(optionsOf(command)).flatMap(([name, { values, type }]) =>
        type === 'string'
          ? [{ before: `${command.words} --${name}`, words: values ?? [], areFilesOffered: !values }]
          : [],
      ),
    ),
    commands: commands.map((command) => ({
      before: command.words,
      words: Object.keys(optionsOf(command)).map((name) => `--${name}`),
      areFilesOffered: command.takesFiles === true,
    })),
    groups: [
      ...groups.map((group) => ({
        before: group,
        words: [...commandsOfGroup(group, commands).map(({ words }) => words.slice(group.length + 1)), '--help'],
        areFilesOffered: false,
      })),
      { before: '', words: [...first, '--help', '--version'], areFilesOffered: false },
    ],
  }
}

/** Both scripts look for the first case that the line matches: option values, then commands, then groups. */
function casesOf(commands: readonly Command[], indent: string): string[] {
  const { values, commands: whole, groups } = offersOf(commands)
  const line = (pattern: string, { words, areFilesOffered }: Offer) =>
    `${indent}${pattern}) offer='${words.join(' ')}'; files=${areFilesOffered ? 1 : 0} ;;`
  return [
    ...values.map((offer) => {
      const at = offer.before.lastIndexOf(' ')
      return line(`'${offer.before.slice(0, at)} '*'${offer.before.slice(at)} '`, offer)
    }),
    ...values.map((offer) => line(`'${offer.before} '`, offer)),
    ...whole.map((offer) => line(`'${offer.before} '*`, offer)),
    ...groups.map((offer) => line(offer.before === '' ? "''" : `'${offer.before} '`, offer)),
    `${indent}*) offer=''; files=0 ;;`,
  ]
}

const bashScript = (commands: readonly Command[]): string =>
  `_tossup() {
  local typed="\${COMP_WORDS[COMP_CWORD]}" before='' offer files i
  for ((i = 1; i < COMP_CWORD; i++)); do before+="\${COMP_WORDS[i]} "; done
  case "$before" in
${casesOf(commands, '    ').join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$offer" -- "$typed")
  if [ "$files" = 1 ] && [ "\${typed#-}" = "$typed" ]; then mapfile -t COMPREPLY < <(compgen -f -- "$typed"); fi
}
complete -o filenames -F _tossup tossup`

const zshScript = (commands: readonly Command[]): string =>
  `_tossup() {
  local before='' offer files i
  for ((i = 2; i < CURRENT; i++)); do before+="\${words[i]} "; done
  case "$before" in
${casesOf(commands, '    ').join('\n')}
  esac
  compadd -- \${=offer}
  if [[ "$files" = 1 ]]; then _files; fi
}
compdef _tossup tossup`
