import { inBatches } from './base/in-batches.ts'
import type { Engine, Tx } from './db/store.ts'
import { transaction } from './db/transaction.ts'

const BATCH = 1_000

/** What has run out is refused wherever it is presented; this only gives back the room, a few rows at a time. */
export const removeExpired = (engine: Engine, now: number): Promise<void> =>
  inBatches(async () => {
    let isMore = false
    for (const remove of [removeIdempotencyKeys, removeAccessTokens, removeFamilies]) {
      isMore = (await transaction(engine, (tx) => removeAlone(engine, tx, () => remove(tx, now)))) || isMore
    }
    return isMore
  })

/** Another server that does the same would choose the same rows. */
const removeAlone = async (engine: Engine, tx: Tx, remove: () => Promise<boolean>): Promise<boolean> =>
  (await engine.tryLock(tx, 'expiry')) && (await remove())

async function removeIdempotencyKeys(tx: Tx, now: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('brand_key', 'key'),
        'in',
        selectFrom('idempotency_keys')
          .select(['brand_key', 'key'])
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(BATCH)
          .$asTuple('brand_key', 'key'),
      ),
    )
    .executeTakeFirst()
  return numDeletedRows >= BATCH
}

async function removeAccessTokens(tx: Tx, now: number): Promise<boolean> {
  const oldest = tx
    .selectFrom('access_tokens')
    .select('hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(BATCH)
  const { numDeletedRows } = await tx.deleteFrom('access_tokens').where('hash', 'in', oldest).executeTakeFirst()
  return numDeletedRows >= BATCH
}

/** A family takes what is left of its tokens along, and a long-lived one has many: those go first. */
async function removeFamilies(tx: Tx, now: number): Promise<boolean> {
  const oldest = await tx
    .selectFrom('token_families')
    .select('key')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(BATCH)
    .execute()
  if (oldest.length === 0) return false
  const keys = oldest.map(({ key }) => key)
  const tokens = tx.selectFrom('refresh_tokens').select('hash').where('family_key', 'in', keys).limit(BATCH)
  const { numDeletedRows } = await tx.deleteFrom('refresh_tokens').where('hash', 'in', tokens).executeTakeFirst()
  if (numDeletedRows >= BATCH) return true
  await tx.deleteFrom('token_families').where('key', 'in', keys).execute()
  return oldest.length === BATCH
}
