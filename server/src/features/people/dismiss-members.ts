import type { Tx } from '../../db/store.ts'
import { lockPerson } from './lock-person.ts'

/** Ends every membership and invitation of a brand that is deleted. A person without any brand is forgotten. */
export async function dismissMembers(tx: Tx, brandKey: number): Promise<void> {
  // Under the lock of the brand, and before the people: in the order of `lockPerson`.
  await tx.deleteFrom('invitations').where('brand_key', '=', brandKey).execute()
  const members = await tx
    .selectFrom('members')
    .select('person_key')
    .where('brand_key', '=', brandKey)
    .orderBy('person_key')
    .execute()
  for (const { person_key } of members) {
    await lockPerson(tx, person_key)
    await endMembership(tx, brandKey, person_key)
  }
}

/** Call it under the lock of the person. */
export async function endMembership(tx: Tx, brandKey: number, personKey: number): Promise<void> {
  await tx.deleteFrom('members').where('brand_key', '=', brandKey).where('person_key', '=', personKey).execute()
  await tx
    .deleteFrom('people')
    .where('key', '=', personKey)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members').select('brand_key').whereRef('members.person_key', '=', 'people.key'))),
    )
    .execute()
}
