import { z } from 'zod'
import { type ErrorCode, STATUS_OF } from '../base/errors.ts'
import { EXPORT_TYPES } from './export.ts'
import { LONGEST_KEY } from './idempotency.ts'
import { DEFAULT_LIMIT, MOST_LIMIT } from './page.ts'
import { type AnswerDoc, API_PREFIX, type Route, takesNothing } from './route.ts'

type Json = Record<string, unknown>

const DESCRIPTION = `Two-option polls for any page. Every success is \`{"data": …}\`, every failure
\`{"error": {"code", "message", "details", "requestId"}}\`. Bodies and queries are strict:
an unknown field or parameter is refused, and so is one that is given twice.`

const STATUS_WORDS: Record<number, string> = {
  304: 'Not modified.',
  400: 'The request is malformed.',
  401: 'Credentials are missing or not valid.',
  403: 'The credentials do not allow this.',
  404: 'Missing, or not yours.',
  409: 'In conflict with what is.',
  413: 'The body is too large.',
  415: 'The content type is not the one that is taken here.',
  416: 'The range asked for lies outside the file.',
  422: 'The request is well-formed but not valid.',
  429: 'Too many requests.',
  500: 'Something went wrong on our side.',
  501: 'Not supported.',
  503: 'Not available now.',
}

/** OpenAPI 3.1 from the routes themselves, so that the reference cannot say something else than the code. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const schemas: Json = { Error: errorSchema }
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const { path, method, isOutside } = route.spec
    paths[path] = {
      ...(isOutside ? { servers: [{ url: '/' }] } : {}),
      ...paths[path],
      [method.toLowerCase()]: operation(route, schemas),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tossup', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: API_PREFIX }],
    paths,
    components: { schemas: sorted(schemas), securitySchemes },
  }
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token from POST /auth/token.' },
  deviceId: { type: 'apiKey', in: 'header', name: 'X-Device-Id', description: 'A UUID kept once per device.' },
  apiKeyId: { type: 'apiKey', in: 'header', name: 'X-API-Key-ID' },
  apiKeySecret: { type: 'apiKey', in: 'header', name: 'X-API-Key-Secret' },
}

const errorSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(STATUS_OF) },
        message: { type: 'string' },
        details: { type: 'object' },
        requestId: { type: 'string' },
      },
      required: ['code', 'message', 'details', 'requestId'],
      additionalProperties: false,
    },
  },
  required: ['error'],
  additionalProperties: false,
}

function operation(route: Route, schemas: Json): Json {
  const { spec } = route
  return {
    operationId: spec.name,
    summary: spec.summary,
    security: spec.guard.security,
    parameters: parametersOf(route),
    ...(spec.body ? { requestBody: jsonContent(schemaOf(spec.body, 'input', schemas), { required: true }) } : {}),
    ...(spec.takes ? { requestBody: { required: true, content: rawContent(spec.takes) } } : {}),
    responses: responsesOf(route, schemas),
  }
}

function parametersOf({ kind, spec }: Route): Json[] {
  const list: Json[] = []
  for (const [place, schema] of [
    ['path', spec.params],
    ['query', spec.query],
  ] as const) {
    const { properties = {}, required = [] } = schema ? inputSchema(schema) : {}
    for (const [name, property] of Object.entries(properties as Json)) {
      const isRequired = place === 'path' || (required as string[]).includes(name)
      list.push({ name, in: place, required: isRequired, schema: property })
    }
  }
  for (const [name, description] of Object.entries(spec.headers ?? {})) {
    list.push({ name, in: 'header', required: false, description, schema: { type: 'string' } })
  }
  if (spec.isPaged) {
    const limit = { type: 'integer', minimum: 1, maximum: MOST_LIMIT, default: DEFAULT_LIMIT }
    list.push({ name: 'limit', in: 'query', required: false, schema: limit })
    list.push({ name: 'cursor', in: 'query', required: false, schema: { type: 'string' } })
  }
  if (kind === 'once') {
    const schema = {
      type: 'string',
      minLength: 8,
      maxLength: spec.longestKey ?? LONGEST_KEY,
      pattern: '^[A-Za-z0-9._~-]+$',
    }
    list.push({ name: 'X-Service-Idempotency-Key', in: 'header', required: true, schema })
  }
  return list
}

const hasFiles = (route: Route): boolean => route.kind === 'plain' && route.spec.exportAll !== undefined

function responsesOf(route: Route, schemas: Json): Json {
  const { spec } = route
  const responses: Json = {}
  for (const [status, answer] of Object.entries(spec.answers)) {
    const response = successResponse(answer, spec.isPaged === true, schemas)
    responses[status] = hasFiles(route) ? withFiles(response) : response
  }
  if (spec.caching === 'public' || spec.caching === 'own') responses['304'] = { description: STATUS_WORDS[304] }
  for (const [status, codes] of Map.groupBy(errorsOf(route), ([errorStatus]) => errorStatus)) {
    const names = [...new Set(codes.map(([, code]) => code))].sort().map((code) => `\`${code}\``)
    const description = `${STATUS_WORDS[status]} ${names.join(', ')}`
    responses[status] = jsonContent({ $ref: '#/components/schemas/Error' }, { description })
  }
  return responses
}

/** What a route can refuse follows from how it is built; only what its own verb refuses is named by hand. */
function errorsOf(route: Route): [number, ErrorCode][] {
  const { kind, spec } = route
  const codes: ErrorCode[] = [...spec.guard.errors, ...(spec.errors ?? []), 'INTERNAL', 'UNAVAILABLE']
  if (spec.params || spec.query || spec.body || !spec.isOutside) codes.push('VALIDATION_ERROR')
  if (spec.body || takesNothing(spec)) codes.push('MALFORMED_JSON')
  if (spec.method !== 'GET') codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (spec.limits || hasFiles(route)) codes.push('RATE_LIMITED')
  if (kind === 'once') {
    codes.push(
      'IDEMPOTENCY_KEY_REQUIRED',
      'IDEMPOTENCY_KEY_INVALID',
      'IDEMPOTENCY_KEY_REUSED',
      'IDEMPOTENCY_IN_PROGRESS',
    )
  }
  const errors = codes.map((code): [number, ErrorCode] => [STATUS_OF[code], code])
  return spec.isPaged ? [...errors, [400, 'VALIDATION_ERROR']] : errors
}

function successResponse({ description, schema, contentType }: AnswerDoc, isPaged: boolean, schemas: Json): Json {
  if (contentType) return { description, content: { [contentType]: { schema: {} } } }
  if (!schema) return { description }
  const properties = { data: schemaOf(schema, 'output', schemas) }
  const page = { nextCursor: { type: ['string', 'null'] }, hasMore: { type: 'boolean' } }
  const all = isPaged ? { ...properties, ...page } : properties
  const envelope = { type: 'object', properties: all, required: Object.keys(all), additionalProperties: false }
  return jsonContent(envelope, { description })
}

const rawContent = (types: readonly string[]): Json => Object.fromEntries(types.map((type) => [type, { schema: {} }]))
/** What can also be had as a file, all of it. */
function withFiles({ content, ...rest }: Json): Json {
  const files = EXPORT_TYPES.map((type) => [type, { schema: { type: 'string' } }])
  return { ...rest, content: { ...(content as Json), ...Object.fromEntries(files) } }
}

const jsonContent = (schema: Json, rest: Json): Json => ({ ...rest, content: { 'application/json': { schema } } })

const inputSchema = (schema: z.ZodType): Json => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json

/** Named schemas move to the components; everything else stays where it is used. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  for (const [name, definition] of Object.entries($defs as Json)) schemas[name] = withComponentRefs(definition)
  return withComponentRefs(root) as Json
}

const withComponentRefs = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))

const sorted = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).sort(([left], [right]) => left.localeCompare(right)))
