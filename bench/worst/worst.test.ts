import { expect, test } from 'bun:test'
import { documentOfEveryRoute } from './every-route.ts'
import { inputsFor } from './inputs.ts'
import { publicOperations } from './public-operations.ts'

const document = await documentOfEveryRoute()
const operations = publicOperations(document)

test('every operation is measured that is not below /brands/me and needs no session', () => {
  const others = Object.entries(document.paths).filter(([path]) => !/^\/brands\/me(\/|$)/.test(path))
  const methods = others.flatMap(([, item]) =>
    Object.keys(item).filter(
      (key) => /^(get|post|put|patch|delete)$/.test(key) && !JSON.stringify(item[key]).includes('{"session":[]}'),
    ),
  )
  expect(operations).toHaveLength(methods.length)
  expect(operations.filter(({ path }) => path.includes('/brands/me'))).toEqual([])
  expect(operations.find(({ name }) => name === 'getPoll')?.path).toBe('/api/rest/v1/polls/{slug}')
  expect(operations.find(({ name }) => name === 'getPollPage')?.path).toBe('/p/{slug}')
})

test('every operation has inputs for what it reads, none longer than Bun takes', () => {
  for (const operation of operations) {
    const inputs = [...inputsFor(operation, { kind: 'plain', path: operation.path })]
    for (const name of operation.query) expect(inputs.some(({ path }) => path.includes(`${name}=a`))).toBeTrue()
    expect(inputs.some(({ body }) => body !== undefined)).toBe(operation.method !== 'GET')
    for (const { path, headers = {}, body = '' } of inputs) {
      expect(path.length + Object.values(headers).join('').length).toBeLessThan(16_000)
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64 * 1024)
    }
  }
})
