const WIDEST = 60
const GAP = '  '

/** The items of a list, or the fields of one thing, in columns. Null if the answer has neither. */
export function asTable(data: unknown): string | null {
  if (Array.isArray(data)) return ofRecords(data.map((item) => (isRecord(item) ? item : { value: item })))
  if (!isRecord(data)) return null
  return lines(Object.entries(data).map(([name, value]) => [name, cellOf(value)]))
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function ofRecords(items: readonly Record<string, unknown>[]): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const flat = names.filter((name) => items.every((item) => !isRecord(item[name])))
  return lines([flat, ...items.map((item) => flat.map((name) => cellOf(item[name])))])
}

/** Replaces control characters: texts of others must not move the cursor of a terminal. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(/\p{Cc}+/gu, ' ')
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text
}

function lines(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))))
  const padded = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell))
  return rows.map((row) => row.map(padded).join(GAP).trimEnd()).join('\n')
}
