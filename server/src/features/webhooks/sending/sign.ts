import { randomBytes } from 'node:crypto'
import { keyedHash } from '../../../base/secrets.ts'

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
