import { EXPORT_TYPES } from '../../src/http/answers/export.ts'
import type { HeaderName } from '../../src/http/answers/response-headers.ts'
import { type AnswerDoc, isConditional, isOwners, type Route } from '../../src/http/route.ts'
import { type Components, exampleOf, headersOf, type Json } from './components.ts'
import { errorResponses, hasFiles, refusalsOf } from './error-responses.ts'

export function responsesOf(route: Route, components: Components): Json {
  const { spec } = route
  const responses: Json = {}
  for (const [status, answer] of Object.entries(spec.answers)) {
    const { always, sometimes } = sentWith(route, answer)
    const headers = headersOf(components, always, sometimes)
    responses[status] = { description: answer.description, headers, ...contentOf(route, answer, components) }
  }
  if (isConditional(spec)) {
    const { always, sometimes } = sentWith(route, spec.answers[200])
    responses['304'] = { description: 'Not modified.', headers: headersOf(components, always, sometimes) }
  }
  return { ...responses, ...errorResponses(components, route, refusalsOf(route)) }
}

/** The headers that follow from the route, and those that its answer declares. */
function sentWith(route: Route, { headers = {} }: AnswerDoc = { description: '' }) {
  const { kind, spec } = route
  const always: HeaderName[] = [...(headers.always ?? [])]
  const sometimes: HeaderName[] = ['Vary', ...(headers.sometimes ?? [])]
  const hasVersion = spec.etag !== undefined && spec.method !== 'DELETE'
  const isTagged = spec.caching === 'public' || hasVersion || (kind === 'plain' && isOwners(spec))
  if (isTagged) (hasFiles(route) ? sometimes : always).push('ETag')
  if (hasFiles(route)) sometimes.push('Content-Disposition')
  if (spec.isPaged) sometimes.push('Link')
  if (kind === 'once') sometimes.push('Idempotent-Replayed', 'Original-Request-Id')
  if (spec.limits) sometimes.push('RateLimit', 'RateLimit-Policy')
  return { always, sometimes }
}

function contentOf(route: Route, answer: AnswerDoc, components: Components): Json {
  const { schema, contentType } = answer
  if (!schema) return contentType ? { content: { [contentType]: { schema: textOrBytes(contentType) } } } : {}
  const json = components.schema(schema, 'output')
  if (contentType) return { content: { [contentType]: withExample(json, components), ...files(answer.otherTypes) } }
  const beside =
    'beside' in answer && answer.beside ? (components.schema(answer.beside, 'output')['properties'] as Json) : {}
  const envelope = envelopeOf(json, answer.description, route.spec.isPaged === true ? { ...page, ...beside } : {})
  const exports = hasFiles(route) ? files(EXPORT_TYPES) : {}
  return { content: { 'application/json': withExample(envelope, components), ...exports } }
}

const withExample = (schema: Json, components: Components): Json => ({
  schema,
  example: exampleOf(schema, components.schemas),
})

const page = {
  nextCursor: {
    type: ['string', 'null'],
    description: 'The `cursor` of the next page; null on the last one.',
    examples: [null],
  },
  hasMore: { type: 'boolean', description: 'Whether there is a next page.', examples: [false] },
}

function envelopeOf(data: Json, description: string, more: Json): Json {
  const properties = { data: { description, ...data }, ...more }
  return { type: 'object', properties, required: Object.keys(properties) }
}

const files = (types: readonly string[] = []): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]))

const textOrBytes = (contentType: string): Json =>
  contentType.startsWith('image/') && contentType !== 'image/svg+xml' ? {} : { type: 'string' }
