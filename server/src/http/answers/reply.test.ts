import { describe, expect, test } from 'bun:test'
import { toResponse } from './reply.ts'
import { SharedHeaders } from './response-headers.ts'

const shared = new SharedHeaders({ 'Content-Type': 'application/json', 'Cache-Control': 'private, no-store' })
const reply = (headers: Record<string, string> = {}) => ({ status: 200, body: '{}', shared, headers })
const around = { requestId: 'request 1', isSameOrigin: false }

describe('a response', () => {
  test('has the shared headers, those of its reply, and the id of its request', () => {
    const { status, headers } = toResponse(reply({ ETag: '"1"' }), { ...around, answerHeaders: { RateLimit: 'r=9' } })
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.any(String),
      'cache-control': 'private, no-store',
      'content-type': 'application/json',
      etag: '"1"',
      ratelimit: 'r=9',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'request 1',
    })
  })

  test('has the headers of its limit', () => {
    for (const isSameOrigin of [false, true]) {
      const own = { requestId: 'request 1', isSameOrigin }
      const limitHeaders = { 'RateLimit-Policy': '"tests";q=5;w=60', RateLimit: '"tests";r=4;t=60' }
      const { headers } = toResponse(reply({ ETag: '"1"' }), { ...own, limitHeaders })
      expect(Object.fromEntries(headers)).toEqual({
        ...Object.fromEntries(toResponse(reply(), own).headers),
        etag: '"1"',
        ratelimit: '"tests";r=4;t=60',
        'ratelimit-policy': '"tests";q=5;w=60',
      })
    }
  })

  test('shares no header with the next one', () => {
    toResponse(reply({ ETag: '"1"', 'Cache-Control': 'public' }), { ...around, isLast: true })
    const next = toResponse(reply(), { ...around, requestId: 'request 2' })
    expect(next.headers.get('etag')).toBeNull()
    expect(next.headers.get('connection')).toBeNull()
    expect(next.headers.get('cache-control')).toBe('private, no-store')
    expect(next.headers.get('x-request-id')).toBe('request 2')
    expect(shared.forAnyPage.has('x-request-id')).toBe(false)
  })

  test('for pages of the service alone has no CORS headers', () => {
    const { headers } = toResponse(reply(), { ...around, isSameOrigin: true })
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('without a body and a type has no Content-Type', () => {
    const { headers, body } = toResponse({ status: 204, body: null, headers: {} }, around)
    expect(body).toBeNull()
    expect(headers.get('content-type')).toBeNull()
  })
})
