import { type SectionName, sectionOf } from './results-file.ts'

/** Where a figure stands in the results: a section, a table by its first heading, a row by its first cell, a column. */
export interface Place {
  readonly section: SectionName
  readonly table: string
  readonly row: string
  readonly column: string
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The figure at a place of `bench/RESULTS.md`. Throws if it is not there: a model never goes on with a guess. */
export function figureAt(results: string, { section, table, row, column }: Place): number {
  const lines = sectionOf(results, section).split('\n')
  const names = `${section}: ${table || 'its first table'}, ${row}, ${column}`
  const head = lines.findIndex(
    (line, i) => line.startsWith('|') && !lines[i - 1]?.startsWith('|') && isHead(line, table),
  )
  const rows = head < 0 ? [] : lines.slice(head).slice(0, lengthOf(lines.slice(head)))
  const at = cellsOf(rows[0] ?? '').indexOf(column)
  const cell = rows.map(cellsOf).find(([name]) => name === row)?.[at]
  const value = Number.parseFloat((cell ?? '').replaceAll(',', ''))
  if (at < 0 || Number.isNaN(value)) throw new Error(`bench/RESULTS.md has no figure for ${names}`)
  return value
}

const isHead = (line: string, table: string): boolean => cellsOf(line)[0] === table

const lengthOf = (lines: readonly string[]): number => {
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return end < 0 ? lines.length : end
}
