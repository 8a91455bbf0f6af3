/** A table that is readable on a terminal and valid Markdown: the first column left-aligned, the others right-aligned. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(3, ...[title, ...rows.map((row) => row[at] ?? '')].map(textWidth)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => padded(cell, widths[at] ?? 0, at)).join(' | ')} |`
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...rows.map((row) => line(head.map((_, at) => row[at] ?? '')))].join('\n')
}

const textWidth = (text: string): number => [...text].length

function padded(cell: string, width: number, at: number): string {
  const space = ' '.repeat(width - textWidth(cell))
  return at === 0 ? cell + space : space + cell
}

export const count = (value: number): string => Math.round(value).toLocaleString('en')

export const ratio = (value: number): string => (value >= 10 ? value.toFixed(1) : value.toFixed(2))

export const milliseconds = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(2))

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`
