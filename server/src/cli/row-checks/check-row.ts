// cli/row-checks: whether a row of a table could have been written by this service, in whatever format it comes.

import type { z } from 'zod'
import { PlainFailure } from '../../base/errors.ts'
import { textProblem } from '../../base/text.ts'
import { check } from '../../http/validate.ts'
import { type CheckedTable, rowSchemas } from './row-schemas.ts'

type Row = Record<string, unknown>

/** The place of a row and a field, such as `rows/polls/1, row 3, title`. */
export const placeOf = (row: string, field: string): string => `${row}, ${printable(field)}`

/** A fault of an archive: the place, the rule, and the next step. */
export const archiveFault = (place: string, rule: string): PlainFailure =>
  new PlainFailure(
    `The archive is refused. ${place}: ${rule} Nothing was written. Correct this in the service that made the archive, and make the archive again.`,
  )

const MOST_SHOWN = 80

/** Text of an archive must not control the terminal of its reader. */
export const printable = (value: unknown): string =>
  `${value}`
    .slice(0, MOST_SHOWN)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

export const quoted = (value: unknown): string => `"${printable(value)}"`

/** Throws at the first field that no server would have written, and at columns that the table does not have. */
export function checkRow(table: CheckedTable, row: unknown, place: string): Row {
  const { value, problems } = check<unknown>(rowSchemas[table] as z.ZodType, row)
  const [problem] = problems
  if (problem) throw archiveFault(placeOf(place, problem.path || 'the row'), problem.message)
  for (const [column, text] of Object.entries(value as Row)) {
    const unstorable = typeof text === 'string' ? textProblem(text) : null
    if (unstorable) throw archiveFault(placeOf(place, column), unstorable.message)
  }
  return value as Row
}
