import { newUuid } from '../base/ids.ts'
import type { Engine } from './store.ts'
import { transaction } from './transaction.ts'

const KEY = 1

export const SERVICE = 'select instance, address from service'

/** `instance` tells this database from any other, also from one that was restored from its backup. */
export interface ServiceRow {
  readonly instance: string
  /** The address of the server that started last, for commands without PUBLIC_URL. Null before the first start. */
  readonly address: string | null
}

export async function serviceRow(engine: Engine): Promise<ServiceRow> {
  const read = engine.db.selectFrom('service').select(['instance', 'address']).where('key', '=', KEY)
  const kept = await read.executeTakeFirst()
  if (kept) return kept
  await transaction(engine, (tx) =>
    tx
      .insertInto('service')
      .values({ key: KEY, instance: newUuid(), address: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  return read.executeTakeFirstOrThrow()
}

export async function keepAddress(engine: Engine, address: string): Promise<void> {
  if ((await serviceRow(engine)).address === address) return
  await transaction(engine, (tx) => tx.updateTable('service').set({ address }).where('key', '=', KEY).execute())
}
