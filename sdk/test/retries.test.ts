import { describe, expect, test } from 'bun:test'
import { isTossupError, Tossup, TossupError, Visitor } from '../src/index.ts'
import { randomId } from '../src/wire/random-id.ts'
import { backoff, retryAfterOf, sleep } from '../src/wire/retry.ts'
import { caught, failure, ok, record } from './recorder.ts'

const url = 'https://polls.example.com'
const SOON = { 'Retry-After': '0' }
describe('what is repeated', () => {
  test.each([408, 429, 500, 502, 503, 504])('%d is retried until it succeeds', async (status) => {
    const { fetch, requests } = record((_, index) => (index < 2 ? failure(status, 'X', SOON) : ok([])))
    expect(await new Visitor({ url, fetch }).listCategories()).toEqual([])
    expect(requests).toHaveLength(3)
  })

  test.each([400, 401, 403, 404, 409, 413, 415, 422])('%d is not retried', async (status) => {
    const { fetch, requests } = record(() => failure(status, 'X'))
    expect(await caught(new Visitor({ url, fetch }).listCategories())).toMatchObject({ status, code: 'X' })
    expect(requests).toHaveLength(1)
  })

  test('an error is thrown after the configured number of attempts', async () => {
    const { fetch, requests } = record(() => failure(503, 'UNAVAILABLE', SOON))
    const error = await caught(new Visitor({ url, fetch, retries: 1 }).getPoll('x'))
    expect(isTossupError(error, 'UNAVAILABLE') && error.requestId).toBe('the-request')
    expect(requests).toHaveLength(2)
    expect(await caught(new Visitor({ url, fetch }).getPoll('x', { retries: 0 }))).toBeInstanceOf(TossupError)
    expect(requests).toHaveLength(3)
  })

  test('all attempts of a write have one idempotency key, a new one or the given one', async () => {
    const { fetch, requests } = record((_, index) => {
      if (index === 0) throw new TypeError('no network')
      return index === 1 ? failure(409, 'IDEMPOTENCY_IN_PROGRESS', SOON) : ok({})
    })
    const tossup = new Tossup({ url, fetch, auth: { accessToken: () => 'token' } })
    await tossup.updateBrand({ name: 'x' })
    await tossup.updateBrand({ name: 'x' })
    await tossup.updateBrand({ name: 'x' }, { idempotencyKey: 'mine-for-ever' })
    const keys = requests.map(({ headers }) => headers.get('x-service-idempotency-key'))
    expect(keys).toHaveLength(5)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(new Set(keys).size).toBe(3)
    expect(keys[4]).toBe('mine-for-ever')
  })

  test('the login page of another network is not taken for an answer', async () => {
    const { fetch } = record(() => new Response('<html>Log in</html>'))
    expect(await caught(new Visitor({ url, fetch }).castVote('x', 'A'))).toMatchObject({ code: 'UNEXPECTED_ANSWER' })
    const proxy = record(() => new Response('<html>Bad gateway</html>', { status: 502, headers: SOON }))
    const error = await caught(new Visitor({ url, fetch: proxy.fetch, retries: 1 }).getPoll('x'))
    expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 502 })
    expect(proxy.requests).toHaveLength(2)
  })
})

describe('how long it waits', () => {
  test('twice as long each time, random within the second half, at most eight seconds', () => {
    const spans = [1, 2, 3, 4, 5, 6, 7].map((failures) => [backoff(failures, () => 0), backoff(failures, () => 1)])
    expect(spans).toEqual([
      [125, 250],
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [2000, 4000],
      [4000, 8000],
      [4000, 8000],
    ])
  })

  test('Retry-After may be seconds or a date', () => {
    const read = (value: string) => retryAfterOf(new Headers({ 'Retry-After': value }), Date.UTC(2026, 0, 1))
    expect([
      read('7'),
      read('Thu, 01 Jan 2026 00:00:03 GMT'),
      read('Wed, 31 Dec 2025 00:00:00 GMT'),
      read('soon'),
    ]).toEqual([7000, 3000, 0, null])
    expect(retryAfterOf(new Headers())).toBeNull()
  })

  test('at least as long as Retry-After says', async () => {
    const { fetch } = record((_, index) =>
      index === 0 ? failure(429, 'RATE_LIMITED', { 'Retry-After': '1' }) : ok([]),
    )
    const start = performance.now()
    await new Visitor({ url, fetch }).listCategories()
    expect(performance.now() - start).toBeGreaterThan(1_000)
  })

  test('an error is thrown at once when Retry-After is over half a minute', async () => {
    const { fetch, requests } = record(() => failure(429, 'RATE_LIMITED', { 'Retry-After': '31' }))
    const error = await caught(new Visitor({ url, fetch }).castVote('x', 'A'))
    expect(isTossupError(error, 'RATE_LIMITED') && error.retryAfterMs).toBe(31_000)
    expect(requests).toHaveLength(1)
  })
})

describe('how it ends', () => {
  const never = (signal?: AbortSignal | null) => {
    signal?.throwIfAborted()
    return new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
  const silent = (async (_: string, init: RequestInit) => never(init.signal)) as typeof fetch

  test('an attempt that takes too long is TIMEOUT, and is retried', async () => {
    let attempts = 0
    const counted = ((address: string, init: RequestInit) => {
      attempts++
      return silent(address, init)
    }) as typeof fetch
    const visitor = new Visitor({ url, fetch: counted, timeoutMs: 20, retries: 1 })
    expect(await caught(visitor.getPoll('x'))).toMatchObject({ code: 'TIMEOUT', status: 0 })
    expect(attempts).toBe(2)
  })

  test('a signal ends an attempt and a wait with its own reason', async () => {
    const during = new AbortController()
    const running = caught(new Visitor({ url, fetch: silent }).getPoll('x', { signal: during.signal }))
    during.abort('left')
    expect(await running).toBe('left')

    const between = new AbortController()
    const { fetch, requests } = record(() => failure(503, 'UNAVAILABLE', { 'Retry-After': '20' }))
    const waiting = caught(new Visitor({ url, fetch }).getPoll('x', { signal: between.signal }))
    // Real time: the first request is refused, and its retry waits.
    await Bun.sleep(5)
    between.abort('left')
    expect(await waiting).toBe('left')
    expect(requests).toHaveLength(1)
    expect(await caught(sleep(1, AbortSignal.abort('before')))).toBe('before')
  })

  test('a missing network is NETWORK_ERROR, with the error of fetch as its cause', async () => {
    const cause = new TypeError('no network')
    const { fetch } = record(() => Promise.reject(cause))
    expect(await caught(new Visitor({ url, fetch, retries: 0 }).getPoll('x'))).toMatchObject({
      code: 'NETWORK_ERROR',
      cause,
    })
  })
})

test('ids are UUIDs of version 4, also without randomUUID, and an error is thrown without a random source', () => {
  const ids = Array.from({ length: 1000 }, randomId)
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const real = globalThis.crypto
  try {
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
    expect(randomId).toThrow('react-native-get-random-values')
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: real, configurable: true })
  }
})
