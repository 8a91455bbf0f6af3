import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { openapiFile } from '../../server/test/openapi-check.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  format?: string
  minLength?: number
  maxLength?: number
}

const document = JSON.parse(readFileSync(openapiFile, 'utf8')) as {
  components: { schemas: Record<string, Schema> }
}
const ODD = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  '🙂'.repeat(90),
  '../..',
  '%00',
  "'--",
  '{{7*7}}',
  '-1',
  '9'.repeat(400),
  'null',
  'constructor',
]
/** Any code point. `unit: 'binary'` first makes a map of all of them, which takes 2 s of processor time. */
const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code), codeOf)

/** -1 for a text that is not one code point: fast-check asks which of its own dangerous words are made of these characters. */
function codeOf(text: unknown): number {
  const code = String(text).codePointAt(0) ?? -1
  return code >= 0 && String.fromCodePoint(code) === text ? code : -1
}

export const oddText = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: character, maxLength: 300 }))
export const junk = fc.oneof(oddText, fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(null, 0, -0, 1e308, [], {}, true))

/** Mostly valid values, so that requests get past validation; sometimes anything else. */
export function anyOfSchema(schema: Schema): fc.Arbitrary<unknown> {
  const named = schema.$ref?.split('/').at(-1)
  if (named) return anyOfSchema(document.components.schemas[named] ?? {})
  return fc.oneof({ weight: 15, arbitrary: fitting(schema) }, { weight: 1, arbitrary: junk })
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(anyOfSchema))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return fc.array(anyOfSchema(schema.items ?? {}), { maxLength: 4 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: -2, max: 120 })
    case 'null':
      return fc.constant(null)
    default:
      return textOf(schema)
  }
}

function textOf({ format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<unknown> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') {
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  }
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 60) })
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, anyOfSchema(inner)]))
  const rare = fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(oddText, junk, { maxKeys: 2 }) },
  )
  return fc.tuple(fc.record(fields, { requiredKeys: required }), rare).map(([object, more]) => ({ ...object, ...more }))
}
