import { z } from 'zod'
import { memoise } from '../base/memoise.ts'
import type { Incoming } from './incoming.ts'
import { parseJson } from './json.ts'
import { checkQuery, type Query, queryRules, readQuery } from './query.ts'
import type { AnyOnceSpec, AnyPlainSpec } from './route.ts'
import { type Checked, checkForAll, isAccepted } from './validate.ts'

export type AnySpec = AnyPlainSpec | AnyOnceSpec
export type Params = Readonly<Record<string, string>>
export type Values = Record<string, unknown>

export interface CheckedQuery {
  readonly given: Query
  readonly checked: Checked<Values>
}

/** Checks each part of a request against the route's schemas. */
export interface Checks {
  params(raw: Params): Checked<Values>
  query(incoming: Incoming): CheckedQuery
  body(text: string): Checked<unknown>
}

export const nothing: Checked<Values> = { value: {}, problems: [] }

const emptyBody = z.strictObject({})
const noQuery: CheckedQuery = { given: { values: new Map(), repeated: new Set(), problems: [] }, checked: nothing }

export function createChecks(spec: AnySpec): Checks {
  const { params, query, body = emptyBody } = spec
  const rules = queryRules(spec)
  // The router returns the same params object for a path that it has cached.
  const known = new WeakMap<Params, Checked<Values>>()
  const checkBody = memoise((text) => checkForAll(body, parseJson(text)), isAccepted)
  return {
    params(raw) {
      if (!params) return nothing
      const checked = known.get(raw) ?? checkForAll(params, raw)
      known.set(raw, checked)
      return checked
    },
    query(incoming) {
      if (!query && incoming.search === '') return noQuery
      const given = readQuery(incoming, rules)
      return { given, checked: checkQuery(query, given) }
    },
    body: checkBody,
  }
}
