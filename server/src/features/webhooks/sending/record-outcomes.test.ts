import { describe, expect, test } from 'bun:test'
import { engines } from '../../../../test/engines.ts'
import { startTestService } from '../../../../test/service.ts'
import { createWebhook, deliveriesOf, raiseEvent } from '../../../../test/webhooks.ts'
import type { AttemptResult } from './attempt.ts'
import { DELIVERY_POLICY } from './delivery-policy.ts'
import { fanOut } from './fan-out.ts'
import { recordOutcomes } from './record-outcomes.ts'

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
