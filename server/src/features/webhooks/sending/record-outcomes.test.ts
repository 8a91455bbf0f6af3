import { describe, expect, test } from 'bun:test'
import { engines } from '../../../../test/engines.ts'
import { startTestService } from '../../../../test/service.ts'
import { createWebhook, deliveriesOf, raiseEvent } from '../../../../test/webhooks.ts'
import type { AttemptResult } from './attempt.ts'
import { fanOut } from './fan-out.ts'
import { DELIVERY_POLICY, nextAttemptAt, recordOutcomes } from './record-outcomes.ts'

const HOUR = 3_600_000
const now = Date.UTC(2026, 0, 1)
const wait = (attempts: number, retryAfter: string | null = null): number =>
  (nextAttemptAt({ attempts, now, retryAfter }, DELIVERY_POLICY) ?? Number.NaN) - now

describe('the next attempt', () => {
  // spec: 6-7
  test.each([
    [1, 5_000],
    [2, 300_000],
    [3, HOUR / 2],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 14 * HOUR],
    [8, 20 * HOUR],
    [9, 24 * HOUR],
  ])('after %p failures comes in %p ms, give or take a fifth', (attempts, delay) => {
    const waits = Array.from({ length: 500 }, () => wait(attempts))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.8 * delay)
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.2 * delay)
    expect(Math.min(...waits)).toBeLessThan(0.9 * delay)
    expect(Math.max(...waits)).toBeGreaterThan(1.1 * delay)
  })

  test('does not come after the tenth', () => {
    expect(nextAttemptAt({ attempts: 10, now, retryAfter: '5' }, DELIVERY_POLICY)).toBeNull()
    expect(nextAttemptAt({ attempts: 11, now, retryAfter: null }, DELIVERY_POLICY)).toBeNull()
  })

  test('comes no sooner than the receiver asks, in seconds or by a date', () => {
    expect(wait(1, '120')).toBe(120_000)
    expect(wait(1, new Date(now + 90_000).toUTCString())).toBe(90_000)
    expect(wait(3, '60')).toBeGreaterThanOrEqual(0.4 * HOUR)
    expect(wait(1, '0')).toBeGreaterThanOrEqual(4_000)
    expect(wait(1, new Date(now - HOUR).toUTCString())).toBeLessThanOrEqual(6_000)
  })

  test('is delayed by a day at most', () => {
    expect(wait(1, '86401')).toBe(24 * HOUR)
    expect(wait(1, '999999999')).toBe(24 * HOUR)
    expect(wait(1, 'Fri, 31 Dec 9999 23:59:59 GMT')).toBe(24 * HOUR)
  })

  test.each(['', 'soon', '-5', '1.5', '1e9', '9999999999', 'NaN', '5 seconds'])(
    'ignores a Retry-After of %p',
    (nonsense) => {
      expect(wait(1, nonsense)).toBeLessThanOrEqual(6_000)
    },
  )
})

describe.each([...engines])('%s', (engine) => {
  test.each([
    ['a failure and a success', ['connection_failed', null], 'succeeded'],
    ['a success and a failure', [null, 'connection_failed'], 'succeeded'],
    ['two failures', ['connection_failed', 'timeout'], 'pending'],
  ] as const)('%s of one delivery are recorded together, as two attempts', async (_, failures, status) => {
    const service = await startTestService(engine, { jobs: 'by hand' })
    const brand = await service.createBrand()
    const webhook = await createWebhook(service, brand, { events: ['poll.deleted'] })
    await raiseEvent(service, brand)
    await fanOut(service.deps.engine, { now: service.clock.now(), isSlow: false })
    const { key, webhook_key } = await service.db
      .selectFrom('webhook_deliveries')
      .select(['key', 'webhook_key'])
      .executeTakeFirstOrThrow()
    const outcomes = failures.map((failure, i): AttemptResult => {
      const at = service.clock.now() + i
      const target = { webhookKey: webhook_key, deliveryKey: key, url: webhook.url }
      return { ...target, at, endedAt: at, durationMs: 1, failure, answer: null, isGone: false }
    })
    await recordOutcomes(service.deps, outcomes, DELIVERY_POLICY)
    const [delivery] = await deliveriesOf(service, brand, webhook.id)
    expect(delivery).toMatchObject({ status, attempts: failures.map((errorClass) => ({ errorClass })) })
    await service.stop()
  })
})
