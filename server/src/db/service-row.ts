import { newUuid } from '../base/ids.ts'
import type { Engine } from './store.ts'

const KEY = 1

export const SERVICE = 'select instance, address from service'

/** `instance` tells this database from any other, also from one that was restored from its backup. */
export interface ServiceRow {
  readonly instance: string
  /** The address of the server that started last, for commands without PUBLIC_URL. Null before the first start. */
  readonly address: string | null
}

export async function serviceRow({ db }: Engine): Promise<ServiceRow> {
  const read = db.selectFrom('service').select(['instance', 'address']).where('key', '=', KEY)
  const kept = await read.executeTakeFirst()
  if (kept) return kept
  await db
    .insertInto('service')
    .values({ key: KEY, instance: newUuid(), address: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return read.executeTakeFirstOrThrow()
}

export async function keepAddress({ db }: Engine, address: string): Promise<void> {
  await db
    .updateTable('service')
    .set({ address })
    .where('key', '=', KEY)
    .where((is) => is.or([is('address', 'is', null), is('address', '<>', address)]))
    .execute()
}
