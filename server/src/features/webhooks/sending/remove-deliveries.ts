import { DAY } from '../../../base/clock.ts'
import { inBatches } from '../../../base/work/jobs.ts'
import type { Engine, Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { webhooksWithDue } from './due.ts'

const BATCH = 500
export const DELIVERIES_KEPT_FOR = 30 * DAY

/** True when there may be more. */
export async function removeSomeDeliveries(tx: Tx, webhookKey: number): Promise<boolean> {
  const some = await tx
    .selectFrom('webhook_deliveries')
    .select('key')
    .where('webhook_key', '=', webhookKey)
    .orderBy('key')
    .limit(BATCH)
    .execute()
  await removeKeys(
    tx,
    some.map(({ key }) => key),
  )
  return some.length === BATCH
}

/** Removes the deliveries of deleted webhooks. */
export async function removeOrphans(engine: Engine, now: number): Promise<boolean> {
  await transaction(engine, async (tx) => noteDeleted(tx, await deletedMeanwhile(tx, now)))
  return inBatches(() =>
    transaction(engine, async (tx) => {
      if (!(await engine.tryLock(tx, 'webhook orphans'))) return false
      const webhook = await tx.selectFrom('deleted_webhooks').select('key').limit(1).executeTakeFirst()
      if (!webhook) return false
      if (await removeSomeDeliveries(tx, webhook.key)) return true
      await tx.deleteFrom('deleted_webhooks').where('key', '=', webhook.key).execute()
      return true
    }),
  )
}

export async function noteDeleted(tx: Tx, webhooks: readonly { key: number }[]): Promise<void> {
  if (webhooks.length === 0) return
  await tx
    .insertInto('deleted_webhooks')
    .values([...webhooks])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Webhooks deleted while an event was fanned out to them: their deliveries would be due forever. */
async function deletedMeanwhile(tx: Tx, now: number): Promise<{ key: number }[]> {
  const due = await webhooksWithDue(tx, now)
  if (due.length === 0) return []
  const rows = await tx.selectFrom('webhooks').select('key').where('key', 'in', due).execute()
  const there = new Set(rows.map(({ key }) => key))
  return due.filter((key) => !there.has(key)).map((key) => ({ key }))
}

/** Keys grow with time, so the oldest are the first and no index on the time is needed. */
export const removeOldDeliveries = (engine: Engine, now: number): Promise<boolean> =>
  inBatches(() =>
    transaction(engine, async (tx) => {
      if (!(await engine.tryLock(tx, 'old deliveries'))) return false
      const oldest = await tx
        .selectFrom('webhook_deliveries')
        .select(['key', 'created_at'])
        .orderBy('key')
        .limit(BATCH)
        .execute()
      const old = oldest.filter(({ created_at }) => created_at <= now - DELIVERIES_KEPT_FOR)
      await removeKeys(
        tx,
        old.map(({ key }) => key),
      )
      return old.length === BATCH
    }),
  )

async function removeKeys(tx: Tx, keys: readonly number[]): Promise<void> {
  if (keys.length > 0) await tx.deleteFrom('webhook_deliveries').where('key', 'in', keys).execute()
}
