import { z } from 'zod'
import { ERRORS, type ErrorCode, errorEntries } from '../../base/error-catalogue/catalogue.ts'
import type { ErrorEntry } from '../../base/error-catalogue/entry.ts'
import { type Components, type Json, jsonContent, ref } from './components.ts'
import type { Refusal } from './refusals.ts'

const REQUEST_ID = '3f2c9d1e-6b0a-4c1d-8a57-2f4f0a9d6b11'

/** One schema for each code, and one for them all. */
export function addErrorSchemas(components: Components): void {
  for (const [code, entry] of errorEntries) components.schemas[schemaName(code)] = errorSchema(components, code, entry)
  const codes = errorEntries.map(([code]) => code)
  components.schemas['Error'] = { description: 'What every refusal looks like.', ...envelopeOf(codes) }
}

/** A response for each status, shared by all operations that answer it with the same codes. */
export function errorResponses(components: Components, refusals: readonly Refusal[]): Json {
  const byStatus = Map.groupBy(refusals, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, refused]) => {
      const codes = refused.map(({ code }) => code).sort()
      const name = codes.map(pascal).join('Or') + (codes.some((code) => ERRORS[code].status !== status) ? status : '')
      components.responses[name] ??= responseOf(codes)
      return [status, ref('responses', name)]
    }),
  )
}

function responseOf(codes: readonly ErrorCode[]): Json {
  const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n')
  const examples = codes.map((code) => [code, { value: { error: exampleOf(code, ERRORS[code]) } }])
  return { description, ...jsonContent(envelopeOf(codes), { examples: Object.fromEntries(examples) }) }
}

function envelopeOf(codes: readonly ErrorCode[]): Json {
  const refs = codes.map((code) => ref('schemas', schemaName(code)))
  const mapping = Object.fromEntries(codes.map((code, i) => [code, refs[i]?.['$ref']]))
  const error = refs.length === 1 ? refs[0] : { oneOf: refs, discriminator: { propertyName: 'code', mapping } }
  return { type: 'object', properties: { error }, required: ['error'] }
}

function errorSchema(components: Components, code: ErrorCode, { when, details }: ErrorEntry): Json {
  const schema = z.object({
    code: z.literal(code).describe('Which error it is, for programs.'),
    message: z.string().describe('The error for people. Its wording may change.'),
    details: details.describe('What a program needs to know of the error.'),
    requestId: z.string().describe('What the log names the request: the header `X-Request-Id`.'),
  })
  return { description: when, ...components.schema(schema, 'output') }
}

function exampleOf(code: ErrorCode, { message, example }: ErrorEntry): Json {
  const said = typeof message === 'string' ? message : message(example)
  return { code, message: said, details: example, requestId: REQUEST_ID }
}

const pascal = (code: string): string =>
  code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')

const schemaName = (code: string): string => `${pascal(code)}Error`
