import { z } from 'zod'
import { LONGEST_KEY } from '../idempotency.ts'
import { DEFAULT_LIMIT, MOST_LIMIT } from '../paging.ts'
import { isConditional, type Route, takesIfMatch } from '../route.ts'
import type { Json } from './components.ts'

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

export function parametersOf({ kind, spec }: Route): Json[] {
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
    return { name, in: place, required: isRequired, description, schema: property }
  })
}

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
