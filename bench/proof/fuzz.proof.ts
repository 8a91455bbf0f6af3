import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { openApiDocument } from '../../server/src/http/openapi/openapi-document.ts'
import { fullPath, type Route } from '../../server/src/http/route.ts'
import { engines } from '../../server/test/engines.ts'
import { isPage, openapiFile } from '../../server/test/openapi-check.ts'
import { Scene } from '../../server/test/scene.ts'
import type { Ask, Reply } from '../../server/test/service.ts'

interface Schema {
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

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

const document = JSON.parse(readFileSync(openapiFile, 'utf8')) as {
  components: { schemas: Record<string, Schema> }
}
/** By its name. Pages are not in openapi.json, but are asked too. */
function operationsOf(routes: readonly Route[]): ReadonlyMap<string, Operation> {
  const { paths } = openApiDocument(routes, '') as unknown as { paths: Record<string, Record<string, Operation>> }
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  return new Map(all.map((operation) => [operation.operationId, operation]))
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

const oddText = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: character, maxLength: 300 }))
const junk = fc.oneof(oddText, fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(null, 0, -0, 1e308, [], {}, true))

/** Mostly valid values, so that requests get past validation; sometimes anything else. */
function anyOfSchema(schema: Schema): fc.Arbitrary<unknown> {
  const named = schema.$ref?.split('/').at(-1)
  if (named) return anyOfSchema(document.components.schemas[named] ?? {})
  return fc.oneof({ weight: 6, arbitrary: fitting(schema) }, { weight: 1, arbitrary: junk })
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

const headerText = fc.oneof(
  fc.uuid(),
  fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)), maxLength: 60 }),
)
const spoiled = fc.dictionary(
  fc.constantFrom(
    'X-Device-Id',
    'Authorization',
    'X-Service-Idempotency-Key',
    'If-None-Match',
    'X-Forwarded-For',
    'Accept',
    'Content-Type',
  ),
  headerText,
  { maxKeys: 2 },
)

/** A new network each time, so that failures are not counted together. */
const network = () => ({ 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` })

function expectEnvelope({ body: { error }, headers }: Reply, caching: string): void {
  expect(Object.keys(error).sort()).toEqual(['code', 'details', 'message', 'requestId'])
  expect(error.requestId).toBe(headers.get('x-request-id') ?? '')
  expect(headers.get('cache-control')).toBe(caching)
}

describe.each([...engines])('%s: random requests', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterAll(() => scene.service.stop())

  test('is answered without a 5xx, in the envelope and as openapi.json says', async () => {
    const seen = new Set<number>()
    const operations = operationsOf(scene.routes)
    for (const route of scene.routes) {
      const operation = operations.get(route.spec.name)
      const queries = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query')
      const body = operation?.requestBody?.content['application/json']?.schema
      const { poll, brand, campaign } = scene
      const segment = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(poll.slug, poll.shortId, poll.id, brand.slug, campaign.campaignId) },
        { weight: 1, arbitrary: oddText.map((text) => encodeURIComponent(text.toWellFormed()) || '%20') },
      )
      const query = fc.array(
        fc.tuple(
          fc.constantFrom('page', ...queries.map(({ name }) => name)),
          fc
            .oneof(...queries.map(({ schema }) => anyOfSchema(schema)), oddText)
            .map((value) => (typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? ''))),
        ),
        { maxLength: 3 },
      )
      const request = fc.record({
        segment,
        query,
        body: body ? anyOfSchema(body) : fc.constant(undefined),
        spoil: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: spoiled }),
      })
      const ask = ({ body: value, spoil }: { body: unknown; spoil: Record<string, string> }): Ask => {
        const credentials = scene.credentials(route, { headers: network() })
        const sent = value === undefined ? {} : { 'Content-Type': 'application/json' }
        const headers = { ...network(), ...credentials.headers, ...sent, ...spoil }
        return {
          key: randomUUID(),
          ...credentials,
          headers,
          ...(value === undefined ? {} : { raw: JSON.stringify(value) }),
        }
      }
      await fc.assert(
        fc.asyncProperty(request, async (random) => {
          const path = fullPath(route.spec).replace(/\{\w+\}/, random.segment)
          const search = new URLSearchParams(random.query)
          const reply = await scene.service.request(route.spec.method, `${path}?${search}`, ask(random))
          seen.add(reply.status)
          expect(reply.status).toBeLessThan(500)
          const caching = route.spec.path.startsWith('/auth/') ? 'no-store' : 'private, no-store'
          if (reply.status >= 400 && !isPage(reply)) expectEnvelope(reply, caching)
        }),
        { numRuns: body || queries.length > 0 ? 100 : 30 },
      )
    }
    expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 404, 422]))
    expect(scene.service.logLines).toEqual([])
  }, 300_000)
})
