import { z } from 'zod'
import { type AppError, invalidPaging } from '../base/errors.ts'
import { type DeterministicBox, keyedHash } from '../base/secrets.ts'
import type { Position } from '../db/keyset.ts'
import { PAGING_NAMES, type Query } from './query.ts'

export const DEFAULT_LIMIT = 20
export const MOST_LIMIT = 100
const LONGEST_CURSOR = 1_024

const cursorShape = z.tuple([z.string(), z.union([z.number(), z.string()]), z.number()])

export interface Paging {
  readonly limit: number
  readonly after: Position | null
}

export const unpaged: Paging = { limit: 0, after: null }

/**
 * A cursor is a sealed [fingerprint of the list, sort value, key]. The fingerprint binds it to the endpoint,
 * the owner and the filters that it was made for.
 */
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

/**
 * A cursor is valid for one list: this route, its parameters, this owner and these filters, however they are spelled.
 * Invalid filters give a name that no cursor was made for.
 */
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
    throw invalidPaging({ path: given, code: 'not_paged', message: 'Not allowed in a download: a file has every row.' })
}

const invalidCursor = (): AppError =>
  invalidPaging({
    path: 'cursor',
    code: 'invalid_cursor',
    message: 'Must be a nextCursor of this list, with the same filters.',
  })
