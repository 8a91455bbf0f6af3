import type { Tx } from '../../db/store.ts'

/**
 * One change of what a person may sign in with at a time: removing a person, proving their address, and adding a session,
 * a passkey or a brand must not miss each other. False if the person is gone. It writes what is there already, because
 * SQLite has no other lock on a row.
 *
 * Rows are locked in this order, so that no two transactions wait for each other: the brand (`lockMembers`), an invitation to it, the
 * person, and then what belongs to the person: links, passkeys and sessions.
 */
export const lockPerson = async (tx: Tx, personKey: number): Promise<boolean> =>
  (await tx
    .updateTable('people')
    .set(({ ref }) => ({ email: ref('email') }))
    .where('key', '=', personKey)
    .returning('key')
    .executeTakeFirst()) !== undefined
