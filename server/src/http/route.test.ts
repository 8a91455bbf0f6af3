import { expect, test } from 'bun:test'
import { anyone, type Method, route } from './route.ts'

const spec = (method: Method, path: string) =>
  ({
    method,
    path,
    name: 'x',
    tag: 'Service',
    summary: '',
    description: '',
    guard: anyone,
    caching: 'private',
    answers: {},
    handle: () => ({}),
  }) as const

test('a write under /brands/me cannot be registered without idempotency', () => {
  for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
    for (const path of ['/brands/me', '/brands/me/polls', '/brands/me/webhooks/{id}/test']) {
      expect(() => route(spec(method, path))).toThrow('idempotency')
    }
    expect(route(spec(method, '/brands/members')).kind).toBe('plain')
    expect(route(spec(method, '/polls/{slug}/votes')).kind).toBe('plain')
  }
  expect(route(spec('GET', '/brands/me')).kind).toBe('plain')
})
