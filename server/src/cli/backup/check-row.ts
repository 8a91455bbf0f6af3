import type { z } from 'zod'
import type { Row } from '../../backup/table-rows.ts'
import { DAY } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import { printable as printableText, textProblem } from '../../base/text.ts'
import type { Column } from '../../db/snapshots/new-database.ts'
import { check } from '../../http/validate.ts'
import { rowSchemas } from './row-schemas.ts'

/** The place of a row and a field, such as `rows/polls/1, row 3, title`. */
export const placeOf = (row: string, field: string): string => `${row}, ${printable(field)}`

/** A fault of an archive: the place, the rule, and the next step. */
export const archiveFault = (place: string, rule: string): PlainFailure =>
  new PlainFailure(
    `The archive is refused. ${place}: ${rule} Nothing was written. Correct this in the service that made the archive, and make the archive again.`,
  )

const MOST_SHOWN = 80

/** Text of an archive can be long, and must not control the terminal of its reader. */
export const printable = (value: unknown): string => printableText(`${value}`.slice(0, MOST_SHOWN))

export const quoted = (value: unknown): string => `"${printable(value)}"`

interface Rules {
  readonly table: string
  readonly columns: ReadonlyMap<string, Column>
  /** The archive of a brand can come from anybody; a backup holds what its service accepted, by the rules of that time. */
  readonly isForeign: boolean
}

/** The row of a line of an archive. Throws at the first field that no server would have written. */
export function checkedRow(line: string, place: string, rules: Rules): Row {
  const given = parsed(line)
  if (!given) throw archiveFault(place, 'Must be a row in JSON.')
  const row: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(given)) {
    const known = rules.columns.get(column)
    if (!known) throw archiveFault(placeOf(place, column), 'Unknown field.')
    const read = value !== null && known.kind === 'bytes' ? bytesOf(value) : value
    const problem = problemOf(column, read, known) ?? problemOfTime(column, read, rules)
    if (problem) throw archiveFault(placeOf(place, column), problem)
    row[column] = read
  }
  for (const [column, { isNullable, hasDefault }] of rules.columns)
    if (!(column in row || isNullable || hasDefault)) throw archiveFault(placeOf(place, column), 'Required.')
  return checkedBySchema(row, place, rules)
}

export function parsed(text: unknown): Row | null {
  try {
    const value: unknown = JSON.parse(`${text}`)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : null
  } catch {
    return null
  }
}

const HEX = /^(?:[0-9a-f]{2})*$/
const bytesOf = (value: unknown): unknown =>
  typeof value === 'string' && HEX.test(value) ? Buffer.from(value, 'hex') : value

const DEVICE_BYTES = 16
const TIME = /(?:^|_)(?:at|until)$/
const MAY_COME = /^(?:opens|closes|announce|expires|variants_due)_at$/
const [FIRST_TIME, LAST_TIME] = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'].map(Date.parse) as [number, number]

/** A poll whose log has not begun. */
const isUnlogged = (column: string, value: unknown): boolean => column === 'logged_votes' && value === -1

type Problem = (column: string, value: unknown) => string | null

/** By the type of the column, and by its name where that means the same in every table. */
const PROBLEMS: Readonly<Record<Column['kind'], Problem>> = {
  integer(column, value) {
    if (!Number.isSafeInteger(value)) return 'Must be a whole number.'
    if (!TIME.test(column)) return Number(value) < 0 && !isUnlogged(column, value) ? 'Must not be negative.' : null
    const isTime = Number(value) >= FIRST_TIME && Number(value) <= LAST_TIME
    return isTime ? null : 'Must be milliseconds since 1970, in the years 0 to 9999.'
  },
  bytes(column, value) {
    if (!(value instanceof Uint8Array)) return 'Must be bytes in hexadecimal.'
    return column === 'device' && value.length !== DEVICE_BYTES ? 'Must be 16 bytes in hexadecimal.' : null
  },
  text(column, value) {
    if (typeof value !== 'string') return 'Must be a text.'
    if (column === 'id' && !(isUuid(value) && value === value.toLowerCase())) return 'Must be a UUID in lower case.'
    return textProblem(value)?.message ?? null
  },
}

function problemOf(column: string, value: unknown, { kind, isNullable }: Column): string | null {
  if (value !== null) return PROBLEMS[kind](column, value)
  return isNullable ? null : 'Must not be null.'
}

/** A day is more than clocks differ. */
const problemOfTime = (column: string, value: unknown, { isForeign }: Rules): string | null =>
  isForeign && TIME.test(column) && !MAY_COME.test(column) && (Number(value) < 0 || Number(value) > Date.now() + DAY)
    ? 'Must be milliseconds since 1970, and not in the future.'
    : null

/** Fields whose rules may have been others when a service stored them, or that only a whole service has. */
const OF_A_SERVICE = new Set(
  `title title_folded title_sort label_a label_b alt_a alt_b name display_name description location_city location_state tag
  deleted_at removed_at is_emptied content_type width place`.split(/\s+/),
)

function checkedBySchema(row: Row, place: string, { table, isForeign }: Rules): Row {
  const schema = table in rowSchemas ? rowSchemas[table as keyof typeof rowSchemas] : null
  if (!schema) return row
  const { value, problems } = check<unknown>(schema as z.ZodType, row)
  const problem = problems.find(({ path }) => isForeign || !(OF_A_SERVICE.has(path) || TIME.test(path)))
  if (problem) throw archiveFault(placeOf(place, problem.path || 'the row'), problem.message)
  return isForeign ? (value as Row) : row
}
