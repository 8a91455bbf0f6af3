import { sql } from 'kysely'
import { inBatches } from '../base/work/jobs.ts'
import { deleteSome } from '../db/delete-some.ts'
import type { Engine, Tx } from '../db/store.ts'
import type { Tables } from '../db/tables.ts'
import { transaction } from '../db/transaction.ts'

const BATCH = 1_000

/** Only frees space, a few rows at a time: expired rows are already refused wherever they are presented. */
export const removeExpired = (engine: Engine, now: number, stopwatch?: () => number): Promise<boolean> =>
  inBatches(async () => {
    let isMore = false
    for (const remove of REMOVERS) {
      isMore = (await transaction(engine, (tx) => removeAlone(engine, tx, () => remove(tx, now)))) || isMore
    }
    return isMore
  }, stopwatch)

/** One server at a time: two would choose the same rows. */
const removeAlone = async (engine: Engine, tx: Tx, remove: () => Promise<boolean>): Promise<boolean> =>
  (await engine.tryLock(tx, 'expiry')) && (await remove())

/** The columns that identify a row, in the tables whose rows are removed one by one. */
const KEYS = {
  idempotency_keys: ['brand_key', 'key'],
  access_tokens: ['hash'],
  session_tokens: ['hash'],
  sign_in_links: ['hash'],
  used_challenges: ['hash'],
  sessions: ['key'],
  invitations: ['key'],
  results_links: ['key'],
  agent_tokens: ['hash'],
  agent_grants: ['key'],
} as const satisfies Partial<Record<keyof Tables, readonly string[]>>

type Ending = keyof typeof KEYS

const ENDING = Object.keys(KEYS) as Ending[]

/** The tables that `removeExpired` empties, each with an index on `expires_at`. */
export const EXPIRING = [...ENDING, 'token_families'] as const satisfies (keyof Tables)[]

const remover =
  (table: Ending) =>
  async (tx: Tx, now: number): Promise<boolean> => {
    const where = sql<boolean>`expires_at <= ${now}`
    return (await deleteSome(tx, table, { keys: ['expires_at', ...KEYS[table]], where, most: BATCH })) === BATCH
  }

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

const REMOVERS = [...ENDING.map(remover), removeFamilies]
