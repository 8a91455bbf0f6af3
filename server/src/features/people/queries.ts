import { sql } from 'kysely'
import { keysetSlice, type Slice } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Paging } from '../../http/paging.ts'
import type { InvitationRow, MemberRow } from './schema.ts'

const membersOf = (db: Db, brandKey: number) =>
  db
    .selectFrom('members')
    .innerJoin('people', 'people.key', 'members.person_key')
    .select(['members.person_key', 'people.id', 'people.email', 'people.name'])
    .select(['members.role', 'members.created_at', 'members.last_seen_at'])
    .select(sql<number>`(select count(*) from passkeys where passkeys.person_key = members.person_key)`.as('passkeys'))
    .where('members.brand_key', '=', brandKey)

/** In the order in which they joined. */
export const membersPage = (db: Db, brandKey: number, { after, limit }: Paging): Promise<Slice<MemberRow>> =>
  keysetSlice(db, membersOf(db, brandKey), {
    sort: sql`members.created_at`,
    key: sql`members.person_key`,
    direction: 'asc',
    after,
    limit,
  })

/** For commands: all of them, in the order in which they joined. */
export const everyMember = (db: Db, brandKey: number): Promise<(MemberRow & { is_operator: number })[]> =>
  membersOf(db, brandKey)
    .select('people.is_operator')
    .orderBy('members.created_at')
    .orderBy('members.person_key')
    .execute()

export const findMember = (db: Db, brandKey: number, memberId: string) =>
  membersOf(db, brandKey).where('people.id', '=', memberId).executeTakeFirst()

/** For commands, which know a person by their address. */
export const findMemberByKey = (db: Db, brandKey: number, key: string) =>
  membersOf(db, brandKey).where('people.email_key', '=', key).executeTakeFirst()

const invitationsOf = (db: Db, brandKey: number) =>
  db
    .selectFrom('invitations')
    .select(['id', 'email', 'role', 'created_at', 'expires_at'])
    .where('invitations.brand_key', '=', brandKey)

interface Invited {
  readonly brandKey: number
  readonly now: number
}

/** Those that can still be accepted, newest first. */
export const invitationsPage = (
  db: Db,
  { brandKey, now }: Invited,
  { after, limit }: Paging,
): Promise<Slice<InvitationRow>> =>
  keysetSlice(db, invitationsOf(db, brandKey).where('invitations.expires_at', '>', now), {
    sort: sql`invitations.created_at`,
    key: sql`invitations.key`,
    direction: 'desc',
    after,
    limit,
  })

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
