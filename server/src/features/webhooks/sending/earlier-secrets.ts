import { DAY } from '../../../base/clock.ts'
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
