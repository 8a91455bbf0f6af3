import type { z } from 'zod'
import type { FieldProblem } from '../base/errors.ts'
import { nearest } from '../base/text.ts'
import type { Incoming } from './incoming.ts'
import { stringProblem } from './json.ts'
import { type Checked, check, shortened } from './validate.ts'

export const MOST_PARAMETERS = 50
export const PAGING_NAMES = ['limit', 'cursor'] as const

/** The query parameters that the route declares, by name. */
export interface Query {
  readonly values: ReadonlyMap<string, string>
  /** Names given more than once; their first value is in `values`. */
  readonly repeated: ReadonlySet<string>
  readonly problems: readonly FieldProblem[]
}

export interface QueryRules {
  readonly known: ReadonlySet<string>
  /** Pages ignore unknown parameters, because shared links collect tracking parameters. */
  readonly ignoresUnknown: boolean
}

export function queryRules({
  query,
  isPaged,
  isOutside = false,
}: {
  query?: z.ZodObject
  isPaged?: boolean
  isOutside?: boolean
}): QueryRules {
  const names = [...Object.keys(query?.shape ?? {}), ...(isPaged ? PAGING_NAMES : [])]
  return { known: new Set(names), ignoresUnknown: isOutside }
}

/** Only the first 50 parameters are read: what pages ignore can cost nothing either. */
export function readQuery({ search }: Pick<Incoming, 'search'>, { known, ignoresUnknown }: QueryRules): Query {
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const unknown = new Set<string>()
  const { given, isTooLong } = firstParameters(search)
  for (const [name, value] of given) {
    if (values.has(name)) repeated.add(name)
    else if (known.has(name)) values.set(name, value)
    else if (!ignoresUnknown) unknown.add(name)
  }
  const problems = [
    ...(isTooLong && !ignoresUnknown ? [tooMany] : []),
    ...[...unknown].map((name) => unknownParameter(name, known)),
    ...[...repeated].map(givenTwice),
  ]
  return { values, repeated, problems }
}

export function firstParameters(search: string): { given: URLSearchParams; isTooLong: boolean } {
  const parts = search.slice(1).split('&', MOST_PARAMETERS + 1)
  const isTooLong = parts.length > MOST_PARAMETERS
  return { given: new URLSearchParams(isTooLong ? parts.slice(0, -1).join('&') : search), isTooLong }
}

/** A parameter that already has a problem is not validated further. */
export function checkQuery(
  schema: z.ZodObject | undefined,
  { values, problems }: Query,
): Checked<Record<string, unknown>> {
  if (!schema) return { value: {}, problems }
  const input = Object.fromEntries(values)
  const bad = stringProblem(input)
  const checked: Checked<Record<string, unknown>> = bad ? { value: undefined, problems: [bad] } : check(schema, input)
  const told = new Set(problems.map(({ path }) => path))
  return { value: checked.value, problems: [...problems, ...checked.problems.filter(({ path }) => !told.has(path))] }
}

const tooMany: FieldProblem = {
  path: '',
  code: 'too_many_parameters',
  message: `A request can have at most ${MOST_PARAMETERS} query parameters.`,
}

const givenTwice = (name: string): FieldProblem => ({
  path: name,
  code: 'duplicate_parameter',
  message: 'This query parameter is repeated.',
})

function unknownParameter(name: string, known: ReadonlySet<string>): FieldProblem {
  const meant = nearest(name, known)
  const names = [...known].join(', ')
  const allowed = names === '' ? 'This request takes none.' : `This request takes ${names}.`
  const message = `Unknown query parameter${meant === null ? '.' : `: did you mean ${meant}?`} ${allowed}`
  return { path: shortened(name), code: 'unknown_parameter', message }
}
