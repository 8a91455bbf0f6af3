import { SECOND } from '../../../base/clock.ts'
import { newApiKeySecret } from '../../../base/ids.ts'
import { keyedHash } from '../../../base/secrets.ts'
import type { Tx } from '../../../db/store.ts'
import type { AppRow } from '../../../db/tables.ts'
import type { Deps } from '../../deps.ts'

/** At most a day: long enough to deploy, and short enough that a forgotten secret ends soon. */
export const LONGEST_OVERLAP_SECONDS = 86_400

interface Rotated {
  readonly row: AppRow
  readonly apiKeySecret: string
}

/**
 * Gives an app a new secret. The present one works for `overlapSeconds` more, and an earlier one ends at once, so that a
 * rotation without an overlap ends every secret that may have leaked. Null if the app is revoked.
 */
export async function rotateAppSecret(
  { keys, clock }: Pick<Deps, 'keys' | 'clock'>,
  tx: Tx,
  { key, overlapSeconds }: { key: number; overlapSeconds: number },
): Promise<Rotated | null> {
  const apiKeySecret = newApiKeySecret()
  // One statement: the second of two concurrent rotations waits for the first, and then keeps the secret of the first.
  const row = await tx
    .updateTable('apps')
    .set(({ ref }) => ({
      earlier_secret_hash: overlapSeconds > 0 ? ref('secret_hash') : null,
      earlier_secret_until: overlapSeconds > 0 ? clock.now() + overlapSeconds * SECOND : null,
      secret_hash: keyedHash(keys.apiSecret, apiKeySecret),
    }))
    .where('key', '=', key)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row ? { row, apiKeySecret } : null
}
