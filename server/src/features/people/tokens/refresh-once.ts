import { SECOND } from '../../../base/clock.ts'
import { derivedKey, keyedHash, seal, unseal } from '../../../base/secrets.ts'
import type { Tx } from '../../../db/store.ts'

/** How long a client whose answer was lost may repeat a refresh. */
const GRACE = 30 * SECOND

const PURPOSES = { refresh_tokens: 'tossup token pair', agent_tokens: 'tossup agent tokens' }

interface Presented {
  readonly table: keyof typeof PURPOSES
  readonly token: string
  /** The key by which tokens are hashed. */
  readonly key: Uint8Array
  readonly now: number
}

interface Refreshed<Pair> {
  readonly pair: Pair
  /** More than 0 if the pair was issued to an earlier request. */
  readonly ageSeconds: number
}

/** Only the presented token can decrypt the pair that it was exchanged for. */
const pairKey = ({ table, token }: Presented) => derivedKey(token, PURPOSES[table])

/**
 * Uses up a refresh token for the pair that `issue` makes. A repeat at once, while the next refresh token is unused, gets the
 * same pair. Null for any other reuse: the token may be stolen, and the caller has to end all tokens of its family.
 */
export async function refreshOnce<Pair extends object>(
  tx: Tx,
  presented: Presented,
  issue: () => Promise<readonly [pair: Pair, refreshToken: string]>,
): Promise<Refreshed<Pair> | null> {
  const { table, token, key, now } = presented
  const hash = keyedHash(key, token)
  // The conditional write decides the race: of concurrent requests one uses the token.
  const { numUpdatedRows } = await tx
    .updateTable(table)
    .set({ used_at: now })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return repeated<Pair>(tx, presented, hash)
  const [pair, next] = await issue()
  const successor_pair = seal(pairKey(presented), JSON.stringify(pair))
  await tx
    .updateTable(table)
    .set({ successor_hash: keyedHash(key, next), successor_pair })
    .where('hash', '=', hash)
    .execute()
  return { pair, ageSeconds: 0 }
}

async function repeated<Pair>(tx: Tx, presented: Presented, hash: Uint8Array): Promise<Refreshed<Pair> | null> {
  const { table, now } = presented
  const rowOf = (of: Uint8Array) =>
    tx
      .selectFrom(table)
      .select(['used_at', 'successor_hash', 'successor_pair'])
      .where('hash', '=', of)
      .executeTakeFirst()
  const used = await rowOf(hash)
  if (!used?.successor_hash || !used.successor_pair || used.used_at === null) return null
  const next = await rowOf(used.successor_hash)
  if (next?.used_at !== null || now - used.used_at > GRACE) return null
  const pair = unseal(pairKey(presented), used.successor_pair)
  if (!pair) return null
  return { pair: JSON.parse(pair.toString('utf8')) as Pair, ageSeconds: Math.ceil((now - used.used_at) / SECOND) }
}
