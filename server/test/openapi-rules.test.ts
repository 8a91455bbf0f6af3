import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Route, TAGS } from '../src/http/route.ts'
import { faultsOf, openapiFile } from './openapi-check.ts'
import { startTestService, type TestService } from './service.ts'

type Json = Record<string, unknown>

interface Media {
  readonly schema: Json
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: string[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>
}

const document = JSON.parse(readFileSync(openapiFile, 'utf8')) as {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
}

const METHODS = new Set(['get', 'put', 'post', 'patch', 'delete'])
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => METHODS.has(method))
    .map(([method, operation]) => ({ path, method, operation })),
)

test('every operation has a summary, a description that says more, and one tag that is declared', () => {
  const deliveries = Object.values(document.webhooks).map(({ post }) => post)
  const all = [...operations.map(({ operation }) => operation), ...deliveries]
  for (const { operationId, summary, description, tags } of all) {
    expect(`${operationId}: ${summary.length > 3} ${summary.length < 90}`).toBe(`${operationId}: true true`)
    expect(`${operationId}: ${description.length > 25} ${description.includes(summary)}`).toBe(
      `${operationId}: true ${deliveries.some((each) => each.operationId === operationId)}`,
    )
    expect(tags).toHaveLength(1)
  }
  const used = [...new Set(all.flatMap(({ tags }) => tags))]
  expect(document.tags.map(({ name }) => name).sort()).toEqual(used.sort())
  expect(Object.keys(TAGS)).toEqual(expect.arrayContaining(used))
})

test('every field, parameter and header has a description', () => {
  const nameless: string[] = []
  walk(document, '', (value, at) => {
    if (/\/(example|examples|value|mapping)(\/|$)/.test(at)) return
    const isField = /\/properties\/[^/]+$/.test(at)
    const isOther = !at.includes('/properties/') && /\/(parameters|headers|schemas|securitySchemes)\/[^/]+$/.test(at)
    // Response headers are described under components. A field needs a description even if its type has a name.
    if ((isField || (isOther && !value['$ref'])) && !saysSomething(value)) nameless.push(at)
  })
  expect(nameless).toEqual([])
})

const saysSomething = ({ description }: Json): boolean => typeof description === 'string' && description.length > 3

function walk(value: unknown, at: string, visit: (value: Json, at: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Json, at)
  for (const [name, inner] of Object.entries(value)) walk(inner, `${at}/${name.replaceAll('/', '~1')}`, visit)
}

test('every answer in JSON has an example that is exactly what its schema says', () => {
  for (const { path, method, operation } of operations) {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      const json = content['application/json']
      if (!json) continue
      const at = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
      expect(`${operation.operationId} ${status}: ${faultsOf(at, json.example)}`).toBe(
        `${operation.operationId} ${status}: `,
      )
    }
  }
})

let service: TestService

beforeAll(async () => {
  service = await startTestService('sqlite')
})

afterAll(() => service.stop())

const exampleOf = ({ spec }: Route): unknown =>
  document.paths[spec.path]?.[spec.method.toLowerCase()]?.requestBody?.content['application/json']?.example

test('every body in JSON has an example that its route accepts', () => {
  const routes = service.service.routes.filter(({ spec }) => spec.body)
  expect(routes).not.toBeEmpty()
  for (const route of routes) {
    const { success, error } = route.spec.body?.safeParse(exampleOf(route)) ?? {}
    expect({ [route.spec.name]: success, error }).toEqual({ [route.spec.name]: true, error: undefined })
  }
})
