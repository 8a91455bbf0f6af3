import { z } from 'zod'

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
