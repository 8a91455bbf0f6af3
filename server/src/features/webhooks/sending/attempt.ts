import { randomBytes } from 'node:crypto'
import { DAY, SECOND } from '../../../base/clock.ts'
import { derivedKey, keyedHash, seal, unseal } from '../../../base/secrets.ts'
import type { Deps } from '../../deps.ts'
import { bodyIn } from './chat-messages.ts'
import type { DueDelivery, WebhookRow } from './queue.ts'
import { type Failure, failureOf, type Posted } from './target/exchange.ts'
import type { Post } from './target/post.ts'

/** After a rotation, the previous secret continues to sign for this long. */
const SIGNS_FOR_MS = DAY
const MOST_EARLIER = 5

interface Earlier {
  readonly sealed: string
  readonly until: number
}

type Secrets = Pick<WebhookRow, 'secret' | 'earlier_secrets'>

/** Newest first. */
const validSecrets = ({ secret, earlier_secrets }: Secrets, now: number): Uint8Array[] => [
  secret,
  ...validAt(earlier_secrets, now).map(({ sealed }) => Buffer.from(sealed, 'hex')),
]

/** The new `earlier_secrets` after a rotation: each secret keeps its own end, and the oldest are dropped. */
export function earlierAfterRotation({ secret, earlier_secrets }: Secrets, now: number): string {
  const replaced = { sealed: Buffer.from(secret).toString('hex'), until: now + SIGNS_FOR_MS }
  return JSON.stringify([replaced, ...validAt(earlier_secrets, now)].slice(0, MOST_EARLIER))
}

const validAt = (stored: string, now: number): Earlier[] =>
  (JSON.parse(stored) as Earlier[]).filter(({ until }) => now < until)

/** Webhook secrets are needed for signing, so they are encrypted and not hashed. */
export function secretBox({ keys }: Pick<Deps, 'keys'>) {
  const key = derivedKey(keys.apiSecret, 'tossup webhook secrets')
  return {
    seal: (secret: string): Uint8Array => seal(key, secret),
    open(sealed: Uint8Array): string {
      const secret = unseal(key, sealed)
      if (!secret) throw new Error('the secret of a webhook cannot be opened')
      return secret.toString('utf8')
    },
  }
}

const PREFIX = 'whsec_'

export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/** Standard Webhooks 1.0: one signature for each valid secret. */
function signedHeaders(
  { eventId: id, payload }: Pick<DueDelivery, 'eventId' | 'payload'>,
  timestampSeconds: number,
  secrets: readonly string[],
) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${keyedHash(key, `${id}.${timestampSeconds}.${payload}`).toString('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

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
    const payload = bodyIn(webhook.format, delivery.payload)
    const secrets = validSecrets(webhook, at).map(box.open)
    const headers = signedHeaders({ eventId: delivery.eventId, payload }, Math.floor(at / SECOND), secrets)
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
        body: payload,
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
