import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { version } from '../src/config/config.ts'
import { openApiDocument } from '../src/http/openapi/openapi-document.ts'
import { fullPath } from '../src/http/route.ts'
import { openapiFile as file } from './openapi-check.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService('sqlite')
})

afterAll(() => service.stop())

const routes = () => service.service.routes

// spec: 4.1-2
test('openapi.json is what the routes say (npm run facts writes it)', () => {
  const fresh = `${JSON.stringify(openApiDocument(routes(), version), null, 2)}\n`
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

test('every operation has a unique operationId, and every route is in the document', () => {
  const names = routes().map(({ spec }) => spec.name)
  expect(new Set(names).size).toBe(names.length)
  const paths = new Set(routes().map(({ spec }) => `${spec.method} ${fullPath(spec)}`))
  expect(paths.size).toBe(names.length)
})
