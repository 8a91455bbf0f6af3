import { PlainFailure } from '../base/errors.ts'
import { type Bytes, derivedKey, randomKey, seal, unseal } from '../base/secrets.ts'
import type { Engine } from './store.ts'
import { transaction } from './transaction.ts'

const NAMES = [
  'device',
  'apiSecret',
  'token',
  'cursor',
  'network',
  'respondent',
  'upload',
  'answer',
  'challenge',
  'preview',
  'code',
  'codeVoter',
  'logSigning',
  'logNonces',
] as const
type KeyName = (typeof NAMES)[number]

/** Random keys, never derived. They are stored wrapped by SECRET_KEY, which can therefore be changed. */
export type DataKeys = Readonly<Record<KeyName, Bytes>>

/** The first secret wraps the keys. A key that only another secret opens is wrapped again with the first. */
export const openDataKeys = (
  engine: Engine,
  secretsFor: (database: { isNew: boolean }) => readonly string[],
  now: number,
): Promise<DataKeys> =>
  transaction(engine, async (tx) => {
    const isNew = !(await tx.selectFrom('data_keys').select('name').limit(1).executeTakeFirst())
    const wrappers = secretsFor({ isNew }).map(wrapperOf)
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

/** One of the keys, from the rows of a snapshot; null where it was not made yet. */
export function openDataKey(
  rows: readonly { readonly name: string; readonly wrapped: Bytes }[],
  name: KeyName,
  secrets: readonly string[],
): Bytes | null {
  const row = rows.find((each) => each.name === name)
  return row ? firstOpened(secrets.map(wrapperOf), row.wrapped) : null
}

/** No given secret opens the data keys. */
export class SecretMismatch extends PlainFailure {}

export const WRAPPED_KEYS = 'select name, wrapped from data_keys'

/** Throws unless each of the keys can be opened. */
export function assertSecretOpens(keys: readonly { readonly wrapped: Bytes }[], secrets: readonly string[]): void {
  const wrappers = secrets.map(wrapperOf)
  for (const { wrapped } of keys) firstOpened(wrappers, wrapped)
}

const wrapperOf = (secret: string): Bytes => derivedKey(secret, 'tossup data keys')

function firstOpened(wrappers: readonly Bytes[], wrapped: Bytes): Bytes {
  for (const wrapper of wrappers) {
    const key = unseal(wrapper, wrapped)
    if (key) return key
  }
  throw new SecretMismatch(
    'SECRET_KEY does not match this database. To change the key, start once with SECRET_KEY=new,old.',
  )
}
