import { z } from 'zod'
import type { HeaderName } from '../../src/http/answers/response-headers.ts'
import { RESPONSE_HEADERS } from './response-headers.ts'

export type Json = Record<string, unknown>

export const ref = (kind: keyof Components, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

export const jsonContent = (schema: Json, rest: Json = {}): Json => ({
  content: { 'application/json': { schema, ...rest } },
})

/** The parts that several operations share, each under its name. */
export class Components {
  readonly schemas: Json = {}
  readonly responses: Json = {}
  readonly headers: Json = {}

  /** Named schemas become components, others stay inline. Answers allow additional properties, since fields may be added. */
  schema(schema: z.ZodType, io: 'input' | 'output'): Json {
    const override = io === 'output' ? open : () => undefined
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override, unrepresentable: 'any' }) as Json
    for (const [name, definition] of Object.entries($defs as Json)) this.schemas[name] = withComponentRefs(definition)
    return withComponentRefs(root) as Json
  }

  /** The keywords of a schema, with those of the named schema that it refers to. */
  resolved({ $ref, ...own }: Json): Json {
    const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : ''
    return { ...(this.schemas[name] as Json | undefined), ...own }
  }

  sorted(): Json {
    const { schemas, responses, headers } = this
    return { schemas: sorted(schemas), responses: sorted(responses), headers: sorted(headers) }
  }
}

function open({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

const withComponentRefs = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))

const sorted = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).sort(([left], [right]) => left.localeCompare(right)))

const OF_EVERY_ANSWER: HeaderName[] = ['Cache-Control', 'X-Request-Id']

/** The headers of a response, by name: those always sent, and those sometimes sent. */
export function headersOf(
  components: Components,
  always: readonly HeaderName[],
  sometimes: readonly HeaderName[],
): Json {
  const required = new Set([...OF_EVERY_ANSWER, ...always])
  const names = [...new Set([...required, ...sometimes])].sort()
  return Object.fromEntries(names.map((name) => [name, headerRef(components, name, required.has(name))]))
}

function headerRef(components: Components, name: HeaderName, required: boolean): Json {
  const component = required ? name : `Optional-${name}`
  const { description, example } = RESPONSE_HEADERS[name]
  components.headers[component] = { description, required, schema: { type: 'string' }, example }
  return ref('headers', component)
}

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
