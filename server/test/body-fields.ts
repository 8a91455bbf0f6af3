import { z } from 'zod'

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
}

export interface Field {
  readonly path: readonly string[]
  readonly types: ReadonlySet<string>
}

const WRONG: readonly (readonly [type: string, value: unknown])[] = [
  ['string', 'text'],
  ['number', 42],
  ['number', -1.5e300],
  ['boolean', true],
  ['null', null],
  ['array', []],
  ['array', [[1]]],
  ['object', {}],
  ['object', { a: { b: 1 } }],
]

/** Every field that a body may contain, at any depth, with its JSON types. */
export function fieldsOf(body: z.ZodType): Field[] {
  const root = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema
  const named = root.$ref && root.$defs?.[root.$ref.replace('#/$defs/', '')]
  const fields = walk(named || root, [])
  if (fields.length === 0) throw new Error('a body without a field')
  return fields
}

function walk(schema: Schema, path: readonly string[]): Field[] {
  const shapes = schema.properties ? [schema] : (schema.anyOf ?? [schema])
  return shapes.flatMap((shape) =>
    Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => [
      { path: [...path, name], types: typesOf(inner) },
      ...walk(inner, [...path, name]),
    ]),
  )
}

const typesOf = (schema: Schema): Set<string> =>
  new Set(
    (schema.anyOf ?? [schema])
      .flatMap(({ type = 'string' }) => type)
      .map((type) => (type === 'integer' ? 'number' : type)),
  )

/** Values whose type this field does not allow. */
export const wrongValues = ({ types }: Field): unknown[] =>
  WRONG.filter(([type]) => !types.has(type)).map(([, value]) => value)

/** A copy of `body` in which the field has this value. */
export function withValue(body: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const object = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return { ...object, [name]: withValue(object[name], rest, value) }
}
