import { sql } from 'kysely'
import { inBatches } from '../base/work/jobs.ts'
import type { Engine, Tx } from '../db/store.ts'
import { transaction } from '../db/transaction.ts'

const BATCH = 1_000

/** Only frees space, a few rows at a time: expired rows are already refused wherever they are presented. */
export const removeExpired = (engine: Engine, now: number, stopwatch?: () => number): Promise<boolean> =>
  inBatches(async () => {
    let isMore = false
    for (const remove of [removeIdempotencyKeys, removeAccessTokens, removeFamilies, ...OF_PEOPLE]) {
      isMore = (await transaction(engine, (tx) => removeAlone(engine, tx, () => remove(tx, now)))) || isMore
    }
    return isMore
  }, stopwatch)

/** One server at a time: two would choose the same rows. */
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

/** For tables whose rows end one by one, each known by this column. */
const remover =
  (
    table: 'access_tokens' | 'session_tokens' | 'sign_in_links' | 'used_challenges' | 'sessions' | 'invitations',
    key: 'hash' | 'key',
  ) =>
  async (tx: Tx, now: number): Promise<boolean> => {
    const id = sql.ref(key)
    const oldest = tx
      .selectFrom(table)
      .select(id.as('oldest'))
      .where('expires_at', '<=', now)
      .orderBy('expires_at')
      .limit(BATCH)
    const { numDeletedRows } = await tx
      .deleteFrom(table)
      .where(id, 'in', oldest)
      // Asked again of the row itself, because a session may be prolonged meanwhile.
      .where('expires_at', '<=', now)
      .executeTakeFirst()
    return numDeletedRows >= BATCH
  }

const removeAccessTokens = remover('access_tokens', 'hash')

const OF_PEOPLE = [
  remover('session_tokens', 'hash'),
  remover('sign_in_links', 'hash'),
  remover('used_challenges', 'hash'),
  remover('sessions', 'key'),
  remover('invitations', 'key'),
]

/** Deleting a family deletes its tokens by cascade, and a long-lived family has many, so tokens are removed first. */
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
