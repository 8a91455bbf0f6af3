import { readFileSync } from 'node:fs'

const root = new URL('../..', import.meta.url).pathname

/** A generated part of a document: the text between two comments with the same name. */
export interface MadePart {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly name: string
  readonly text: string
}

const beginning = (name: string): string => `<!-- ${name}: made by \`npm run facts\` -->`
const end = (name: string): string => `<!-- /${name} -->`

export const pathOf = (file: string): string => root + file

/** The document with the part replaced. Throws if the document does not contain the two comments. */
export function withPart({ file, name, text }: MadePart): string {
  const document = readFileSync(pathOf(file), 'utf8')
  const from = document.indexOf(beginning(name))
  const to = document.indexOf(end(name))
  if (from < 0 || to < from) throw new Error(`${file} has no part "${name}": add ${beginning(name)} and ${end(name)}`)
  return `${document.slice(0, from)}${beginning(name)}\n\n${text.trim()}\n\n${document.slice(to)}`
}

/** A Markdown table with aligned columns. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[], fill = ' ') =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  const [first = [], ...others] = cells
  return [line(first), line([], '-'), ...others.map((row) => line(row))].join('\n')
}
