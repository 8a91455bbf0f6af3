import { z } from 'zod'
import { type AppError, invalidPaging } from '../base/errors.ts'
import { type DeterministicBox, keyedHash } from '../base/secrets.ts'
import type { Position } from '../db/keyset.ts'

export const DEFAULT_LIMIT = 20
export const MOST_LIMIT = 100
const LONGEST_CURSOR = 1_024

const cursorShape = z.tuple([z.string(), z.union([z.number(), z.string()]), z.number()])

export interface Paging {
  readonly limit: number
  readonly after: Position | null
}

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

  /** The position and the fingerprint of the list it belongs to; null when it was not made by us. */
  decode(cursor: string): { belongsTo: (list: string) => boolean; position: Position } | null {
    if (cursor.length > LONGEST_CURSOR || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null
    const bytes = Buffer.from(cursor, 'base64url')
    // Stray bits of the last character would let a changed cursor pass for the same one.
    if (bytes.toString('base64url') !== cursor) return null
    const plain = this.#box.unseal(bytes)
    if (plain === null) return null
    const [made, sort, key] = cursorShape.parse(JSON.parse(plain))
    return { belongsTo: (list) => fingerprint(list) === made, position: [sort, key] }
  }
}

const FINGERPRINT_KEY = new TextEncoder().encode('tossup list')

const fingerprint = (list: string): string => keyedHash(FINGERPRINT_KEY, list).toString('base64url').slice(0, 11)

/** A cursor holds for one list: this path, this owner, these filters. */
export function listName({ path, owner = 'anyone', filters }: ListIdentity): string {
  const chosen = filters.filter(([name]) => name !== 'limit' && name !== 'cursor').sort()
  return JSON.stringify([path, owner, chosen])
}

interface ListIdentity {
  readonly path: string
  readonly owner?: string | undefined
  readonly filters: readonly [name: string, value: string][]
}

export function nextLink(url: URL, nextCursor: string): string {
  const next = new URL(url)
  next.searchParams.set('cursor', nextCursor)
  return `<${next.pathname}${next.search}>; rel="next"`
}

export function readLimit(query: URLSearchParams): number {
  const given = query.getAll('limit')
  if (given.length === 0) return DEFAULT_LIMIT
  const limit = Number(given[0])
  if (given.length > 1 || !/^\d{1,3}$/.test(given[0] ?? '') || limit < 1 || limit > MOST_LIMIT) {
    throw invalidPaging({ path: 'limit', code: 'invalid_limit', message: `A whole number from 1 to ${MOST_LIMIT}.` })
  }
  return limit
}

/** A whole list has no pages. */
export function refusePaging(query: URLSearchParams): void {
  const given = ['limit', 'cursor'].find((name) => query.has(name))
  if (given)
    throw invalidPaging({ path: given, code: 'not_paged', message: 'A file holds every row: it has no pages.' })
}

export const invalidCursor = (): AppError =>
  invalidPaging({ path: 'cursor', code: 'invalid_cursor', message: 'Not a cursor that this list gave.' })
