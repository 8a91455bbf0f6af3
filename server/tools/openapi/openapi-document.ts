// server/tools/openapi: writes openapi.json from the routes and their schemas. The server sends that file and needs none of this.
import { z } from 'zod'
import { LONGEST_KEY } from '../../src/http/idempotency.ts'
import { DEFAULT_LIMIT, MOST_LIMIT } from '../../src/http/paging.ts'
import { API_PREFIX, isConditional, type Route, TAGS, type Tag, takesIfMatch } from '../../src/http/route.ts'
import { Components, exampleOf, type Json, jsonContent } from './components.ts'
import { webhooksSection } from './events.ts'
import { responsesOf } from './responses.ts'

const IF_MATCH = `ETags of the owner's answers, or *: 412 if the resource was changed since. Votes, the clock, deliveries and
pictures that the service makes are no such change.`

const LIMIT = {
  name: 'limit',
  in: 'query',
  required: false,
  description: 'The number of items on a page.',
  schema: { type: 'integer', minimum: 1, maximum: MOST_LIMIT, default: DEFAULT_LIMIT },
}

const CURSOR = {
  name: 'cursor',
  in: 'query',
  required: false,
  description: 'The `nextCursor` of the previous page. It is valid only for the same list with the same filters.',
  schema: { type: 'string' },
}

function parametersOf({ kind, spec }: Route): Json[] {
  return [
    ...fieldsOf('path', spec.params),
    ...fieldsOf('query', spec.query),
    ...Object.entries(spec.headers ?? {}).map(([name, description]) => header(name, description)),
    ...(spec.isPaged ? [LIMIT, CURSOR] : []),
    ...(isConditional(spec)
      ? [header('If-None-Match', 'ETags of earlier answers. If one of them still matches, the answer is 304.')]
      : []),
    ...(takesIfMatch(spec) ? [header('If-Match', IF_MATCH)] : []),
    ...(kind === 'once' ? [idempotencyKey(spec.longestKey)] : []),
  ]
}

function fieldsOf(place: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (!schema) return []
  const { properties, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties as Record<string, Json>).map(([name, { description, ...property }]) => {
    const isRequired = place === 'path' || required.includes(name)
    return { name, in: place, required: isRequired, description, schema: isFlag(property) ? BOOLEAN : property }
  })
}

const BOOLEAN = { type: 'boolean' }

/** A query is text, but generated clients take booleans, and write them as `true` and `false`. */
const isFlag = ({ enum: values }: { enum?: unknown }): boolean => Array.isArray(values) && values.includes('true')

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const idempotencyKey = (maxLength = LONGEST_KEY): Json => ({
  name: 'X-Service-Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'A new UUID for each write. Repeating a request with the same key within 24 hours returns the first answer.',
  schema: { type: 'string', minLength: 8, maxLength, pattern: '^[A-Za-z0-9._~-]+$' },
})

const DESCRIPTION = `Two-option polls for any page. Every success is \`{"data": …}\`, every failure
\`{"error": {"code", "message", "details", "requestId"}}\`. Bodies and queries are strict:
unknown and repeated fields and parameters are refused. Later versions may add fields to answers: ignore those that you do not know.

Every \`GET\` also supports \`HEAD\`. Pages of every origin can call all operations except those under \`/auth\`, without
cookies. The guides of the project describe paging, limits and errors, and what is not part of the interface: pages, scripts,
the addresses of uploads and pictures, and health checks.`

const DEVICE_ID = `A UUID kept once per device. With an Authorization header the device is the token's, and X-Device-Id is
ignored, even if it is malformed. Without an Authorization header, a malformed device id is 422 and a missing one 401.`

/**
 * OpenAPI 3.1 generated from routes, so that the reference cannot contradict the code. `openapi.json` has the routes of the
 * interface; tests and the bench also describe those outside of it, which have a server of their own.
 */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const { path, method, isOutside } = route.spec
    paths[path] = {
      ...(isOutside ? { servers: [{ url: '/' }] } : {}),
      ...paths[path],
      [method.toLowerCase()]: operation(route, components),
    }
  }
  const webhooks = webhooksSection(components)
  const used = new Set<string>(['Events' satisfies Tag, ...routes.flatMap(({ spec }) => spec.tag ?? [])])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tossup',
      version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: API_PREFIX }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: { ...components.sorted(), securitySchemes },
  }
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token from POST /auth/token.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-tossup',
    description: 'The session of a person; `tossup` over plain http. Only for pages of the service.',
  },
  deviceId: { type: 'apiKey', in: 'header', name: 'X-Device-Id', description: DEVICE_ID },
  apiKeyId: { type: 'apiKey', in: 'header', name: 'X-API-Key-ID', description: 'The id of an API key.' },
  apiKeySecret: { type: 'apiKey', in: 'header', name: 'X-API-Key-Secret', description: 'The secret of that key.' },
}

function operation(route: Route, components: Components): Json {
  const { name, tag, summary, description, guard } = route.spec
  return {
    operationId: name,
    tags: tag ? [tag] : [],
    summary,
    description,
    security: guard.security,
    parameters: parametersOf(route),
    ...bodyOf(route, components),
    responses: responsesOf(route, components),
  }
}

function bodyOf({ spec }: Route, components: Components): Json {
  if (spec.takes) {
    const content = Object.fromEntries(spec.takes.map((type) => [type, { schema: {} }]))
    return { requestBody: { description: 'The bytes of the picture.', required: true, content } }
  }
  if (!spec.body) return {}
  const schema = components.schema(spec.body, 'input')
  const example = exampleOf(schema, components.schemas)
  const { description } = components.resolved(schema)
  return { requestBody: { description, required: !spec.isBodyOptional, ...jsonContent(schema, { example }) } }
}
