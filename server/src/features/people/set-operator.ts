import type { Tx } from '../../db/store.ts'
import { lockPerson } from './lock-person.ts'
import { findMemberByEmail } from './one-time-links.ts'
import { proveAddress } from './use-link.ts'

/**
 * Gives the role of operator to the person with this address, or takes it away. False if nobody works for a brand with it. An
 * inviter may have made the account of an address that is not theirs: what such an account signs in with ends first.
 */
export async function setOperator(tx: Tx, emailKey: string, isOperator: boolean): Promise<boolean> {
  const person = await findMemberByEmail(tx, emailKey)
  if (!person || !(await lockPerson(tx, person.key))) return false
  if (isOperator) await proveAddress(tx, person.key)
  await tx
    .updateTable('people')
    .set({ is_operator: isOperator ? 1 : 0 })
    .where('key', '=', person.key)
    .execute()
  return true
}
