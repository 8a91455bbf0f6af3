import { lastOwner, notFound } from '../../base/errors.ts'
import type { Role } from '../../base/roles.ts'
import type { Tx } from '../../db/store.ts'
import { endMembership } from './dismiss-members.ts'
import { emailKey } from './email.ts'
import { lockPerson } from './lock-person.ts'
import { findMember, withdrawInvitationOf } from './queries.ts'
import type { MemberRow } from './schema.ts'
import { lockBrand } from './tokens/lock-brand.ts'

interface Chosen {
  readonly brandKey: number
  readonly memberId: string
}

export async function changeRole(tx: Tx, { brandKey, memberId, role }: Chosen & { role: Role }): Promise<MemberRow> {
  await lockMembers(tx, brandKey)
  const member = await findMember(tx, brandKey, memberId)
  if (!member) throw notFound()
  if (role !== 'owner') await keepAnOwner(tx, brandKey, member)
  await tx
    .updateTable('members')
    .set({ role })
    .where('brand_key', '=', brandKey)
    .where('person_key', '=', member.person_key)
    .execute()
  return { ...member, role }
}

/** The access tokens of the brand end at once, and so does an open invitation to the same address. A person without any brand is forgotten: sessions and passkeys too. */
export async function removeMember(tx: Tx, { brandKey, memberId }: Chosen): Promise<MemberRow> {
  await lockMembers(tx, brandKey)
  const member = await findMember(tx, brandKey, memberId)
  if (!member) throw notFound()
  await keepAnOwner(tx, brandKey, member)
  await withdrawInvitationOf(tx, brandKey, emailKey(member.email))
  await lockPerson(tx, member.person_key)
  await endMembership(tx, brandKey, member.person_key)
  return member
}

/** One change of a brand's members at a time: two owners who demote each other must not both succeed. */
export async function lockMembers(tx: Tx, brandKey: number, refusal?: () => Error): Promise<void> {
  await lockBrand(tx, brandKey, refusal)
}

async function keepAnOwner(tx: Tx, brandKey: number, { person_key, role }: { person_key: number; role: Role }) {
  if (role !== 'owner') return
  const other = await tx
    .selectFrom('members')
    .select('person_key')
    .where('brand_key', '=', brandKey)
    .where('role', '=', 'owner')
    .where('person_key', '<>', person_key)
    .limit(1)
    .executeTakeFirst()
  if (!other) throw lastOwner()
}
