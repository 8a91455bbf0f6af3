import { SECOND } from '../../../base/clock.ts'
import type { Deps } from '../../deps.ts'
import type { DueDelivery } from './due.ts'
import type { WebhookRow } from './rows.ts'
import { secretBox, signedHeaders, validSecrets } from './sign.ts'
import { type Failure, failureOf } from './target/attempt-failures.ts'
import type { Posted } from './target/exchange.ts'
import type { Post } from './target/post.ts'

const GONE = 410

export interface AttemptResult {
  readonly webhookKey: number
  readonly deliveryKey: number
  /** The url of the attempt; the webhook's may have changed since. */
  readonly url: string
  readonly at: number
  readonly endedAt: number
  readonly durationMs: number
  /** Null means success. */
  readonly failure: Failure | null
  readonly answer: Posted | null
  /** The receiver wants no more deliveries. */
  readonly isGone: boolean
}

export type Attempt = (webhook: WebhookRow, delivery: DueDelivery, signal: AbortSignal) => Promise<AttemptResult>

/** Rejects only if the attempt was aborted: its outcome is unknown then, and is not recorded. */
export function createAttempt(deps: Pick<Deps, 'clock' | 'keys'>, post: Post): Attempt {
  const { clock } = deps
  const box = secretBox(deps)
  return async (webhook, delivery, signal) => {
    const at = clock.now()
    const started = performance.now()
    const message = {
      id: delivery.eventId,
      timestampSeconds: Math.floor(at / SECOND),
      payload: delivery.payload,
    }
    const headers = signedHeaders(message, validSecrets(webhook, at).map(box.open))
    const ended = (failure: Failure | null, answer: Posted | null): AttemptResult => ({
      webhookKey: webhook.key,
      deliveryKey: delivery.key,
      url: webhook.url,
      at,
      endedAt: clock.now(),
      durationMs: Math.round(performance.now() - started),
      failure,
      answer,
      isGone: answer?.status === GONE,
    })
    try {
      const answer = await post({
        brandKey: webhook.brand_key,
        url: webhook.url,
        headers,
        body: delivery.payload,
        signal,
      })
      return ended(failureOfStatus(answer.status), answer)
    } catch (error) {
      if (signal.aborted) throw error
      return ended(failureOf(error), null)
    }
  }
}

function failureOfStatus(status: number): Failure | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'http_status'
}
