import type { Json } from './components.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

const OF_FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
}

/** Composes a schema's example from those of its fields. Optional fields without an example are left out. */
export function exampleOf(given: Json, named: Json): unknown {
  const schema = resolved(given as Schema, named)
  const { examples, anyOf, items, properties } = schema
  if (examples) return examples[0]
  for (const fixed of [schema.const, schema.default, schema.enum?.[0]]) if (fixed !== undefined) return fixed
  if (properties) return objectOf(schema, named)
  if (anyOf?.[0]) return exampleOf(anyOf[0] as Json, named)
  if (items) return [exampleOf(items as Json, named)]
  const ofFormat = OF_FORMATS[schema.format ?? '']
  if (ofFormat === undefined) throw new Error(`a field without an example: ${JSON.stringify(given)}`)
  return ofFormat
}

function objectOf({ properties = {}, required = [] }: Schema, named: Json): Json {
  const fields = Object.entries(properties).filter(
    ([name, field]) => required.includes(name) || resolved(field, named).examples,
  )
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field as Json, named)]))
}

/** A field's own keywords override those of its named schema. */
function resolved(schema: Schema, named: Json): Schema {
  const { $ref, ...own } = schema
  return $ref ? { ...(named[$ref.slice($ref.lastIndexOf('/') + 1)] as Schema), ...own } : schema
}
