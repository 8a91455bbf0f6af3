// http/openapi: writes openapi.json from the routes and their schemas.

import { z } from 'zod'
import { EXPORT_TYPES } from '../export.ts'
import { LONGEST_KEY } from '../idempotency.ts'
import { DEFAULT_LIMIT, MOST_LIMIT } from '../page.ts'
import { type AnswerDoc, API_PREFIX, isOwners, type Route, takesIfMatch } from '../route.ts'
import { Components, type Json, jsonContent } from './components.ts'
import { addErrorSchemas, errorResponses } from './error-responses.ts'
import { webhooksSection } from './events.ts'
import { hasFiles, refusalsOf } from './refusals.ts'

const DESCRIPTION = `Two-option polls for any page. Every success is \`{"data": …}\`, every failure
\`{"error": {"code", "message", "details", "requestId"}}\`. Bodies and queries are strict:
an unknown field or parameter is refused, and so is one that is given twice. Answers are open: expect new fields.`

const IF_MATCH = `ETags of the owner's answers, or *: 412 if the resource was changed since. Votes, the clock, deliveries and
pictures that the service makes are no such change.`

/** OpenAPI 3.1 from the routes themselves, so that the reference cannot say something else than the code. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const components = new Components()
  addErrorSchemas(components)
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const { path, method, isOutside } = route.spec
    paths[path] = {
      ...(isOutside ? { servers: [{ url: '/' }] } : {}),
      ...paths[path],
      [method.toLowerCase()]: operation(route, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tossup', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: API_PREFIX }],
    paths,
    webhooks: webhooksSection(components),
    components: { ...components.sorted(), securitySchemes },
  }
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token from POST /auth/token.' },
  deviceId: { type: 'apiKey', in: 'header', name: 'X-Device-Id', description: 'A UUID kept once per device.' },
  apiKeyId: { type: 'apiKey', in: 'header', name: 'X-API-Key-ID' },
  apiKeySecret: { type: 'apiKey', in: 'header', name: 'X-API-Key-Secret' },
}

function operation(route: Route, components: Components): Json {
  const { spec } = route
  return {
    operationId: spec.name,
    summary: spec.summary,
    security: spec.guard.security,
    parameters: parametersOf(route),
    ...(spec.body ? { requestBody: { required: true, ...jsonContent(components.schema(spec.body, 'input')) } } : {}),
    ...(spec.takes ? { requestBody: { required: true, content: rawContent(spec.takes) } } : {}),
    responses: responsesOf(route, components),
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
  if (takesIfMatch(spec)) {
    list.push({ name: 'If-Match', in: 'header', required: false, description: IF_MATCH, schema: { type: 'string' } })
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

function responsesOf(route: Route, components: Components): Json {
  const { spec } = route
  const responses: Json = {}
  for (const [status, answer] of Object.entries(spec.answers)) {
    const response = { ...successResponse(answer, spec.isPaged === true, components), ...(spec.etag ? withTag : {}) }
    responses[status] = hasFiles(route) ? withFiles(response) : response
  }
  if (isConditional(spec)) responses['304'] = { description: 'Not modified.' }
  return { ...responses, ...errorResponses(components, refusalsOf(route)) }
}

/** Answers with an ETag, and 304 to a client that has it. */
const isConditional = (spec: Route['spec']): boolean =>
  spec.caching === 'public' || spec.caching === 'own' || (spec.method === 'GET' && isOwners(spec))

const withTag = { headers: { ETag: { schema: { type: 'string' } } } }

function successResponse(
  { description, schema, contentType }: AnswerDoc,
  isPaged: boolean,
  components: Components,
): Json {
  if (contentType) return { description, content: { [contentType]: { schema: {} } } }
  if (!schema) return { description }
  const properties = { data: components.schema(schema, 'output') }
  const page = { nextCursor: { type: ['string', 'null'] }, hasMore: { type: 'boolean' } }
  const all = isPaged ? { ...properties, ...page } : properties
  const envelope = { type: 'object', properties: all, required: Object.keys(all) }
  return { description, ...jsonContent(envelope) }
}

const rawContent = (types: readonly string[]): Json => Object.fromEntries(types.map((type) => [type, { schema: {} }]))
/** What can also be had as a file, all of it. */
function withFiles({ content, ...rest }: Json): Json {
  const files = EXPORT_TYPES.map((type) => [type, { schema: { type: 'string' } }])
  return { ...rest, content: { ...(content as Json), ...Object.fromEntries(files) } }
}

const inputSchema = (schema: z.ZodType): Json => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json
