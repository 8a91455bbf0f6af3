import { randomBytes } from 'node:crypto'
import { DAY } from '../../../base/clock.ts'
import { derivedKey, keyedHash, seal, unseal } from '../../../base/secrets.ts'
import type { Deps } from '../../deps.ts'
import type { WebhookRow } from './rows.ts'

/** After a rotation, the previous secret continues to sign for this long. */
const SIGNS_FOR_MS = DAY
const MOST_EARLIER = 5

interface Earlier {
  readonly sealed: string
  readonly until: number
}

type Secrets = Pick<WebhookRow, 'secret' | 'earlier_secrets'>

/** Newest first. */
export const validSecrets = ({ secret, earlier_secrets }: Secrets, now: number): Uint8Array[] => [
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

interface SecretBox {
  seal(secret: string): Uint8Array
  open(sealed: Uint8Array): string
}

/** Webhook secrets are needed for signing, so they are encrypted and not hashed. */
export function secretBox({ keys }: Pick<Deps, 'keys'>): SecretBox {
  const key = derivedKey(keys.apiSecret, 'tossup webhook secrets')
  return {
    seal: (secret) => seal(key, secret),
    open(sealed) {
      const secret = unseal(key, sealed)
      if (!secret) throw new Error('the secret of a webhook cannot be opened')
      return secret.toString('utf8')
    },
  }
}

const PREFIX = 'whsec_'

export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

interface Message {
  readonly id: string
  readonly timestampSeconds: number
  readonly payload: string
}

/** Standard Webhooks 1.0: one signature for each valid secret. */
export function signedHeaders({ id, timestampSeconds, payload }: Message, secrets: readonly string[]) {
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
