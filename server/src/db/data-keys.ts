import { PlainFailure } from '../base/errors.ts'
import { type Bytes, derivedKey, randomKey, seal, unseal } from '../base/secrets.ts'
import type { Engine } from './store.ts'
import { transaction } from './transaction.ts'

const NAMES = ['device', 'apiSecret', 'token', 'cursor', 'network', 'respondent', 'upload', 'answer'] as const
type KeyName = (typeof NAMES)[number]

/** Random and never re-derived; stored wrapped by SECRET_KEY, which can therefore be changed. */
export type DataKeys = Readonly<Record<KeyName, Bytes>>

/** The first secret wraps; a key that one of the others still opens is wrapped anew. */
export const openDataKeys = (
  engine: Engine,
  secretsFor: (database: { isNew: boolean }) => readonly string[],
  now: number,
): Promise<DataKeys> =>
  transaction(engine, async (tx) => {
    const isNew = !(await tx.selectFrom('data_keys').select('name').limit(1).executeTakeFirst())
    const wrappers = secretsFor({ isNew }).map((secret) => derivedKey(secret, 'tossup data keys'))
    const [current] = wrappers
    if (!current) throw new PlainFailure('SECRET_KEY is empty.')
    await tx
      .insertInto('data_keys')
      .values(NAMES.map((name) => ({ name, wrapped: seal(current, randomKey()), created_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const keys: Record<string, Bytes> = {}
    for (const { name, wrapped } of await tx.selectFrom('data_keys').select(['name', 'wrapped']).execute()) {
      const key = firstOpened(wrappers, wrapped)
      if (!unseal(current, wrapped)) {
        await tx
          .updateTable('data_keys')
          .set({ wrapped: seal(current, key) })
          .where('name', '=', name)
          .execute()
      }
      keys[name] = key
    }
    return keys as DataKeys
  })

function firstOpened(wrappers: readonly Bytes[], wrapped: Bytes): Bytes {
  for (const wrapper of wrappers) {
    const key = unseal(wrapper, wrapped)
    if (key) return key
  }
  throw new PlainFailure(
    'SECRET_KEY is not the one that this database was made with. To change it, start once with SECRET_KEY=new,old.',
  )
}
