/** A spreadsheet would run a cell with one of these first characters as a formula. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

/** An id of ours, written as it is: a program joins files by it, and without brackets and signs it calls no function. */
export interface Identifier {
  readonly id: string
}

export type Cell = string | number | Identifier

function csvCell(value: Cell): string {
  if (typeof value === 'object') return value.id
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One record with its line break, as RFC 4180 defines it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`
