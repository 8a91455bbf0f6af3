import { sql } from 'kysely'
import { keysetSlice } from '../../../db/keyset.ts'
import type { Db, Tx } from '../../../db/store.ts'
import type { Paging } from '../../../http/paging.ts'

/** The newest first. */
export const passkeysPage = (db: Db, personKey: number, { after, limit }: Paging) =>
  keysetSlice(
    db,
    db.selectFrom('passkeys').select(['id', 'name', 'created_at', 'last_used_at']).where('person_key', '=', personKey),
    { sort: sql`passkeys.created_at`, key: sql`passkeys.key`, direction: 'desc', after, limit },
  )

interface Owned {
  readonly personKey: number
  readonly id: string
}

export const renamePasskey = (tx: Tx, { personKey, id, name }: Owned & { name: string }) =>
  tx
    .updateTable('passkeys')
    .set({ name })
    .where('person_key', '=', personKey)
    .where('id', '=', id)
    .returning(['id', 'name', 'created_at', 'last_used_at'])
    .executeTakeFirst()

/** False if the person has no such passkey. */
export async function removePasskey(tx: Tx, { personKey, id }: Owned): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('passkeys')
    .where('person_key', '=', personKey)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
