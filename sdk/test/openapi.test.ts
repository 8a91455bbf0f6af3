import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type OpenApi, typesOfOpenApi } from '../tools/types-of-openapi.ts'

const file = new URL('../src/openapi.ts', import.meta.url).pathname
const document: OpenApi = await Bun.file(new URL('../../server/openapi.json', import.meta.url)).json()

test('the types are what openapi.json says (npm run facts writes them)', () => {
  const fresh = typesOfOpenApi(document)
  if (process.env['UPDATE_FACTS'] === '1') writeFileSync(file, fresh)
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(fresh)
})
