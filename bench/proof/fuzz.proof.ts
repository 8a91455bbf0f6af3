import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomInt, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { fullPath, type Route } from '../../server/src/http/route.ts'
import { engines } from '../../server/test/engines.ts'
import { isPage } from '../../server/test/openapi-check.ts'
import { Scene } from '../../server/test/scene.ts'
import type { Ask, Reply } from '../../server/test/service.ts'
import { openApiDocument } from '../../server/tools/openapi/openapi-document.ts'
import { AgentBodies, type RandomBody } from './agent-bodies.ts'
import { anyOfSchema, oddText, type Schema } from './random-values.ts'

/** A run of 50,000 requests on one engine: `FUZZ_RUNS=400 npm test -- bench/proof/fuzz.proof.ts -t '^sqlite:'`. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 50)
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** By its name. Pages are not in openapi.json, but are asked too. */
function operationsOf(routes: readonly Route[]): ReadonlyMap<string, Operation> {
  const { paths } = openApiDocument(routes, '') as unknown as { paths: Record<string, Record<string, Operation>> }
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  return new Map(all.map((operation) => [operation.operationId, operation]))
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

const OAUTH_ERROR =
  /^(?:invalid_(?:request|client|grant|token|target)|unsupported_(?:grant|response)_type|temporarily_unavailable)$/

/** Programs of OAuth know the errors of RFC 6749 alone. */
function expectOauthError({ body, headers }: Reply): void {
  const { error, error_description: description } = body as object as { error: string; error_description: string }
  expect(error).toMatch(OAUTH_ERROR)
  expect(description).toBeString()
  expect(headers.get('cache-control')).toBe('no-store')
}

/** Programs of JSON-RPC know its errors alone. */
function expectRpcError({ body }: Reply): void {
  const { jsonrpc, error } = body as object as { jsonrpc: string; error: { code: number; message: string } }
  expect([jsonrpc, Number.isInteger(error.code), typeof error.message]).toEqual(['2.0', true, 'string'])
}

/** A new network each time, so that failures are not counted together. */
const network = () => ({ 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` })

function expectEnvelope({ body: { error }, headers }: Reply, caching: string): void {
  expect(Object.keys(error).sort()).toEqual(['code', 'details', 'message', 'requestId'])
  expect(error.requestId).toBe(headers.get('x-request-id') ?? '')
  expect(headers.get('cache-control')).toBe(caching)
}

function expectForm({ spec }: Route, path: string, reply: Reply): void {
  expect(reply.status).toBeLessThan(500)
  if (reply.status < 400 || isPage(reply)) return
  if (path.startsWith('/oauth/')) expectOauthError(reply)
  else if (path === '/mcp') expectRpcError(reply)
  else expectEnvelope(reply, fullPath(spec).startsWith('/api/rest/v1/auth/') ? 'no-store' : 'private, no-store')
}

describe.each([...engines])('%s: random requests', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterAll(() => scene.service.stop())

  test(
    `is answered without a 5xx, in the envelope and as openapi.json says (seed ${SEED})`,
    async () => {
      const seen = new Map<number, number>()
      const operations = operationsOf(scene.routes)
      const agents = await AgentBodies.of(scene)
      const calls = new Map<string, number>()
      // Random requests end sessions and remove what later paths would name.
      const paths = new Map<Route, string>()
      for (const route of scene.routes) paths.set(route, (await scene.bare(route)).path)
      for (const [at, route] of scene.routes.entries()) {
        const { name, method } = route.spec
        const operation = operations.get(name)
        const queries = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query')
        const schema = operation?.requestBody?.content['application/json']?.schema
        const body = agents.bodyOf(name) ?? (schema ? anyOfSchema(schema).map((value) => ({ json: value })) : null)
        const template = fullPath(route.spec)
        const { poll, brand, campaign } = scene
        const segment = (own: string) =>
          fc.oneof(
            { weight: 4, arbitrary: fc.constant(own) },
            {
              weight: 3,
              arbitrary: fc.constantFrom(poll.slug, poll.shortId, poll.id, brand.slug, campaign.campaignId),
            },
            { weight: 1, arbitrary: oddText.map((text) => encodeURIComponent(text.toWellFormed()) || '%20') },
          )
        const segments = fc.tuple(...segmentsOf(template, paths.get(route) ?? '').map(segment))
        const fields = fc.array(
          fc.tuple(
            fc.constantFrom('page', ...queries.map((each) => each.name)),
            fc
              .oneof(...queries.map((each) => anyOfSchema(each.schema)), oddText)
              .map((value) => (typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? ''))),
          ),
          { maxLength: 3 },
        )
        // Most routes refuse a parameter that they do not know.
        const query = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fields })
        const request = fc.record({
          segments,
          query,
          body: body ?? fc.constant({}),
          spoil: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: spoiled }),
        })
        const ask = async ({
          body: given,
          spoil,
        }: {
          body: RandomBody
          spoil: Record<string, string>
        }): Promise<Ask> => {
          const credentials = await agents.credentials(route, { headers: network() })
          const raw = given.raw ?? ('json' in given ? JSON.stringify(given.json) : undefined)
          const sent = raw === undefined ? {} : { 'Content-Type': 'application/json' }
          const headers = { ...network(), ...credentials.headers, ...sent, ...given.headers, ...spoil }
          return { key: randomUUID(), ...credentials, headers, ...(raw === undefined ? {} : { raw }) }
        }
        await fc.assert(
          fc.asyncProperty(request, async (random) => {
            const values = [...random.segments]
            const path = template.replace(/\{\w+\}/g, () => values.shift() ?? '')
            const reply = await scene.service.request(
              method,
              `${path}?${new URLSearchParams(random.query)}`,
              await ask(random),
            )
            count(seen, reply.status)
            if (name === 'callMcp') count(calls, outcomeOf(reply))
            expectForm(route, path, reply)
          }),
          // By one seed, the device of one route would be the poll of another, whose answer names it.
          { seed: (SEED + at) % 2 ** 31, numRuns: body || queries.length > 0 ? RUNS : Math.ceil(RUNS * 0.3) },
        )
      }
      const total = [...seen.values()].reduce((sum, count) => sum + count, 0)
      process.stdout.write(
        `${total} random requests: ${JSON.stringify(Object.fromEntries(seen))}, calls of tools: ${JSON.stringify(Object.fromEntries(calls))}\n`,
      )
      expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404, 422]))
      expect([...calls.keys()]).toEqual(expect.arrayContaining(['result', 'error of a tool']))
      expect(scene.service.logLines).toEqual([])
    },
    300_000 * Math.ceil(RUNS / 100),
  )
})

function count<T>(counts: Map<T, number>, value: T): void {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}

function outcomeOf({ status, body }: Reply): string {
  const { result, error } = body as object as { result?: { isError?: boolean }; error?: { code: number } }
  if (result) return result.isError ? 'error of a tool' : 'result'
  return `${error?.code ?? status}`
}

/** The segments of a working path, in the order of the template's parameters. */
function segmentsOf(template: string, working: string): string[] {
  const pattern = template.replace(/[.+*?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '(.+?)')
  return new RegExp(`^${pattern}(?:\\?.*)?$`).exec(working)?.slice(1) ?? []
}
