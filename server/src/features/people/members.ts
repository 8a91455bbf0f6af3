import { sql } from 'kysely'
import { lastOwner, notFound } from '../../base/errors.ts'
import type { Role } from '../../base/roles.ts'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import { emailKey } from './email.ts'
import type { InvitationRow, MemberRow } from './schema.ts'
import { lockBrand } from './tokens/queries.ts'

const membersOf = (db: Db, brandKey: number) =>
  db
    .selectFrom('members')
    .innerJoin('people', 'people.key', 'members.person_key')
    .select(['members.person_key', 'people.id', 'people.email', 'people.name'])
    .select(['members.role', 'members.created_at', 'members.last_seen_at'])
    .select(sql<number>`(select count(*) from passkeys where passkeys.person_key = members.person_key)`.as('passkeys'))
    .where('members.brand_key', '=', brandKey)

/** In the order in which they joined. */
export const membersPage = (db: Db, brandKey: number, paging: Paging): Promise<Slice<MemberRow>> =>
  keysetSlice(db, membersOf(db, brandKey), {
    sort: sql`members.created_at`,
    key: sql`members.person_key`,
    direction: 'asc',
    ...paging,
  })

/** For commands: all of them, in the order in which they joined. */
export const everyMember = (db: Db, brandKey: number): Promise<(MemberRow & { is_operator: number })[]> =>
  membersOf(db, brandKey)
    .select('people.is_operator')
    .orderBy('members.created_at')
    .orderBy('members.person_key')
    .execute()

const findMember = (db: Db, brandKey: number, memberId: string) =>
  membersOf(db, brandKey).where('people.id', '=', memberId).executeTakeFirst()

/** For commands, which know a person by their address. */
export const findMemberByKey = (db: Db, brandKey: number, key: string) =>
  membersOf(db, brandKey).where('people.email_key', '=', key).executeTakeFirst()

/** Those that can still be accepted, newest first. */
export const invitationsPage = (
  db: Db,
  { brandKey, now }: { brandKey: number; now: number },
  paging: Paging,
): Promise<Slice<InvitationRow>> =>
  keysetSlice(
    db,
    db
      .selectFrom('invitations')
      .select(['id', 'email', 'role', 'created_at', 'expires_at'])
      .where('brand_key', '=', brandKey)
      .where('expires_at', '>', now),
    { sort: sql`invitations.created_at`, key: sql`invitations.key`, direction: 'desc', ...paging },
  )

/** False if the brand has no such invitation. An expired one can be withdrawn too. */
export const withdrawInvitation = (tx: Tx, brandKey: number, id: string) =>
  tx
    .deleteFrom('invitations')
    .where('brand_key', '=', brandKey)
    .where('id', '=', id)
    .returning(['id', 'email'])
    .executeTakeFirst()

/** For an address that joins or leaves: an invitation that is still open could undo the change. */
export const withdrawInvitationOf = (tx: Tx, brandKey: number, key: string) =>
  tx.deleteFrom('invitations').where('brand_key', '=', brandKey).where('email_key', '=', key).execute()

/**
 * One change of what a person may sign in with at a time: removing a person, proving their address, and adding a session,
 * a passkey or a brand must not miss each other. False if the person is gone. It writes what is there already, because
 * SQLite has no other lock on a row.
 *
 * Rows are locked in this order, so that no two transactions wait for each other: the brand (`lockBrand`), an invitation to it, the
 * person, and then what belongs to the person: links, passkeys and sessions.
 */
export const lockPerson = async (tx: Tx, personKey: number): Promise<boolean> =>
  (await tx
    .updateTable('people')
    .set(({ ref }) => ({ email: ref('email') }))
    .where('key', '=', personKey)
    .returning('key')
    .executeTakeFirst()) !== undefined

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

interface Chosen {
  readonly brandKey: number
  readonly memberId: string
}

export async function changeRole(tx: Tx, { brandKey, memberId, role }: Chosen & { role: Role }): Promise<MemberRow> {
  await lockBrand(tx, brandKey)
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
  await lockBrand(tx, brandKey)
  const member = await findMember(tx, brandKey, memberId)
  if (!member) throw notFound()
  await keepAnOwner(tx, brandKey, member)
  await withdrawInvitationOf(tx, brandKey, emailKey(member.email))
  await lockPerson(tx, member.person_key)
  await endMembership(tx, brandKey, member.person_key)
  return member
}

/** Under the lock of the brand: two owners who demote each other must not both succeed. */
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
