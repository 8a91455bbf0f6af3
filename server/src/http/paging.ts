import { z } from 'zod'
import { type AppError, type FieldProblem, invalidPaging } from '../base/errors.ts'
import { type DeterministicBox, keyedHash } from '../base/secrets.ts'
import { nearest } from '../base/text.ts'
import type { Position } from '../db/keyset.ts'
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

interface QueryRules {
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
  message: `Must not have more than ${MOST_PARAMETERS} query parameters.`,
}

const givenTwice = (name: string): FieldProblem => ({
  path: name,
  code: 'duplicate_parameter',
  message: 'Must not be repeated.',
})

function unknownParameter(name: string, known: ReadonlySet<string>): FieldProblem {
  const meant = nearest(name, known)
  const names = [...known].join(', ')
  const allowed = names === '' ? 'This request takes none.' : `This request takes ${names}.`
  const message = `Unknown query parameter${meant === null ? '.' : `: did you mean ${meant}?`} ${allowed}`
  return { path: shortened(name), code: 'unknown_parameter', message }
}

export const DEFAULT_LIMIT = 20
export const MOST_LIMIT = 100
const LONGEST_CURSOR = 1_024

const cursorShape = z.tuple([z.string(), z.union([z.number(), z.string()]), z.number()])

export interface Paging {
  readonly limit: number
  readonly after: Position | null
}

export const unpaged: Paging = { limit: 0, after: null }

/** A sealed [fingerprint of the list, sort value, key]: it binds a cursor to endpoint, owner and filters. */
export class Cursors {
  readonly #box: DeterministicBox

  constructor(box: DeterministicBox) {
    this.#box = box
  }

  encode(list: string, position: Position): string {
    return this.#box.seal(JSON.stringify([fingerprint(list), ...position])).toString('base64url')
  }

  /** The position, and a check of the list that it belongs to; null for a cursor that this server did not make. */
  decode(cursor: string): { belongsTo: (list: string) => boolean; position: Position } | null {
    if (cursor.length > LONGEST_CURSOR || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null
    const bytes = Buffer.from(cursor, 'base64url')
    // Buffer ignores unused bits of the last character, so an altered cursor could decode to the same bytes.
    if (bytes.toString('base64url') !== cursor) return null
    const plain = this.#box.unseal(bytes)
    if (plain === null) return null
    const [made, sort, key] = cursorShape.parse(JSON.parse(plain))
    return { belongsTo: (list) => fingerprint(list) === made, position: [sort, key] }
  }
}

const FINGERPRINT_KEY = new TextEncoder().encode('tossup list')

const fingerprint = (list: string): string => keyedHash(FINGERPRINT_KEY, list).toString('base64url').slice(0, 11)

interface ListIdentity {
  /** The path of the list's route, with its parameters unfilled. */
  readonly list: string
  readonly owner?: string | undefined
  readonly params: object | undefined
  readonly filters: object | undefined
}

/** Equal for the same list, however its filters are spelled. No cursor was made for invalid filters. */
export const listName = ({ list, owner = 'anyone', params, filters }: ListIdentity): string =>
  JSON.stringify([list, owner, entriesOf(params), entriesOf(filters)])

const entriesOf = (values: object | undefined): [string, unknown][] | null =>
  values === undefined
    ? null
    : Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .sort(([left], [right]) => (left < right ? -1 : 1))

export function readPaging(cursors: Cursors, query: Query, list: string): Paging {
  const limit = readLimit(query)
  const given = query.values.get('cursor')
  if (given === undefined) return { limit, after: null }
  const cursor = query.repeated.has('cursor') ? null : cursors.decode(given)
  if (!cursor?.belongsTo(list)) throw invalidCursor()
  return { limit, after: cursor.position }
}

function readLimit({ values, repeated }: Query): number {
  const given = values.get('limit')
  if (given === undefined) return DEFAULT_LIMIT
  const limit = Number(given)
  if (repeated.has('limit') || !/^\d{1,3}$/.test(given) || limit < 1 || limit > MOST_LIMIT) {
    throw invalidPaging({
      path: 'limit',
      code: 'invalid_limit',
      message: `Must be a whole number from 1 to ${MOST_LIMIT}.`,
    })
  }
  return limit
}

/** An export is not paged. */
export function refusePaging({ values }: Query): void {
  const given = PAGING_NAMES.find((name) => values.has(name))
  if (given)
    throw invalidPaging({
      path: given,
      code: 'not_paged',
      message: 'Must be left out of a download: a file has every row.',
    })
}

const invalidCursor = (): AppError =>
  invalidPaging({
    path: 'cursor',
    code: 'invalid_cursor',
    message: 'Must be a nextCursor of this list, with the same filters.',
  })
