import { newSuffix } from '../../base/ids.ts'
import { type Bytes, randomKey, seal, unseal } from '../../base/secrets.ts'
import type { Config } from '../../config/config.ts'
import type { DataKeys } from '../../db/data-keys.ts'
import type { Db, Tx } from '../../db/store.ts'

const GENERATION_LENGTH = 6

export function openLogKey({ logNonces }: DataKeys, sealed: Bytes): Bytes {
  const key = unseal(logNonces, sealed)
  if (!key) throw new Error('the key of a log cannot be opened')
  return key
}

/** Makes the keys of polls that have none. */
export const addLogKeys = (db: Db | Tx, { logNonces }: DataKeys, pollKeys: readonly number[]) =>
  db
    .insertInto('poll_log_keys')
    .values(pollKeys.map((poll_key) => ({ poll_key, sealed: seal(logNonces, randomKey()) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** The address of a new log without its scheme, which is also the name of its key: later addresses of the service do not change it. */
export function newOrigin({ publicUrl }: Config, pollId: string) {
  const generation = newSuffix(GENERATION_LENGTH)
  return { generation, origin: `${publicUrl.replace(/^\w+:\/\//, '')}/log/${pollId}/${generation}` }
}
