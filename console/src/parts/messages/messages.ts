import { isTossupError, type TossupError } from '../../../../sdk/src/index.ts'
import { words } from '../../words/words.ts'

/** Describes a failure in one sentence. */
export function messageOf(error: unknown): string {
  if (!isTossupError(error)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'NETWORK_ERROR' || error.code === 'TIMEOUT') return words().state.unreachable
  const [first] = fieldsOf(error)
  return first ? first.message : error.message
}

/** The code of the first problem of a field, for words of our own. */
export const problemOf = (error: unknown): string | undefined =>
  isTossupError(error) ? fieldsOf(error)[0]?.code : undefined

interface Field {
  readonly path: string
  readonly code: string
  readonly message: string
  /** The position of a problem in a stylesheet. */
  readonly line?: number
  readonly column?: number
}

const fieldsOf = (error: TossupError): readonly Field[] => (error.details as { fields?: readonly Field[] }).fields ?? []

const FIELD_OF: Readonly<Record<string, string>> = {
  SLUG_TAKEN: 'slug',
  CAMPAIGN_NAME_TAKEN: 'title',
  NAME_TAKEN: 'name',
  INVALID_POLST_OWNERSHIP: 'polstIds',
}

export type FieldErrors = Readonly<Record<string, string>>

/** The service's problems by the path of their field, to be shown there. A taken slug is one of the slug. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (!isTossupError(error)) return {}
  const field = FIELD_OF[error.code]
  if (field) return { [field]: error.message }
  return Object.fromEntries(fieldsOf(error).map(({ path, message }) => [path, message]))
}

/** The problem of an item is shown at its list. */
export const firstUnder = (errors: FieldErrors, path: string): string | undefined =>
  Object.entries(errors).find(([each]) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`))?.[1]

export interface PlacedProblem {
  readonly message: string
  readonly line: number
  readonly column: number
}

/** The problems of a stylesheet, where they stand. */
export const placedProblemsOf = (error: unknown): readonly PlacedProblem[] =>
  isTossupError(error)
    ? fieldsOf(error).flatMap(({ message, line, column }) =>
        line === undefined || column === undefined ? [] : [{ message, line, column }],
      )
    : []
