import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { version } from '../src/config/config.ts'
import { fullPath } from '../src/http/route.ts'
import { openApiDocument } from '../tools/openapi/openapi-document.ts'
import { openapiFile as file } from './openapi-check.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService('sqlite')
})

afterAll(() => service.stop())

const routes = () => service.service.routes
const ofInterface = () => routes().filter(({ spec }) => !spec.isOutside)

// spec: 4.1-2
test('openapi.json is what the routes say (npm run facts writes it)', () => {
  const fresh = `${JSON.stringify(openApiDocument(ofInterface(), version), null, 2)}\n`
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(file, fresh)
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(fresh)
})

test('openapi.json is served with an ETag', async () => {
  const { status, text, headers } = await service.get('/openapi.json')
  expect(status).toBe(200)
  expect(text).toBe(readFileSync(file, 'utf8'))
  const again = await service.get('/openapi.json', { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
})

test('the document is the interface alone, under one server', () => {
  const { servers, paths, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
  expect(servers).toEqual([{ url: '/api/rest/v1' }])
  expect(JSON.stringify({ paths, rest })).not.toContain('"servers"')
  const all = Object.keys(paths)
  expect(
    all.filter((path) => /^\/(p|c|b|r|embed|console|docs|files|uploads|livez|readyz|oembed)(\/|$)|\./.test(path)),
  ).toEqual(['/brands/me/polls/{slug}/results.png'])
  expect(all.length).toBe(new Set(ofInterface().map(({ spec }) => spec.path)).size)
})

test('every operation has the answer to a method that its path does not support', () => {
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
  }
  for (const methods of Object.values(paths))
    for (const { responses } of Object.values(methods))
      expect(responses['405']).toEqual({ $ref: '#/components/responses/MethodNotAllowed' })
})

test('flags in queries are booleans', () => {
  const { paths } = JSON.parse(readFileSync(file, 'utf8'))
  const { parameters } = paths['/brands/me/polls'].get
  const typeOf = (name: string) => parameters.find((one: { name: string }) => one.name === name).schema
  expect([typeOf('isDraft'), typeOf('archived')]).toEqual([{ type: 'boolean' }, { type: 'boolean' }])
})

test('every operation has a unique operationId, and every route has its own address', () => {
  const names = routes().map(({ spec }) => spec.name)
  expect(new Set(names).size).toBe(names.length)
  const paths = new Set(routes().map(({ spec }) => `${spec.method} ${fullPath(spec)}`))
  expect(paths.size).toBe(names.length)
})
