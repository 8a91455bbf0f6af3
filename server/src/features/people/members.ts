import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { AppError, orNotFound, roleRequired } from '../../base/errors.ts'
import { count, idOf, timestamp, url, uuid } from '../../base/fields.ts'
import { ROLES, type Role } from '../../base/roles.ts'
import { keysetSlice, newestFirst, type Slice } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import type { ActivitySubject } from '../../events/activity.ts'
import type { Paging } from '../../http/paging.ts'
import { emailField, emailKey } from './email.ts'
import { lockBrand } from './tokens/queries.ts'

/** The description and example of each field, shared by bodies and answers. */
const about = {
  email: { description: 'The address, as it was typed.', examples: ['ada@example.com'] },
  role: {
    description:
      '`owner` and `editor` may do everything with polls; only an owner manages members and keys. `analyst` reads.',
    examples: ['editor'],
  },
  name: { description: 'The name of the person, or null if none is known.', examples: ['Ada'] },
}

export const member = z
  .object({
    memberId: uuid.describe('The permanent id of the person, the same for every brand.'),
    email: z.string().meta(about.email),
    name: z.string().nullable().meta(about.name),
    role: z.enum(ROLES).meta(about.role),
    createdAt: timestamp.describe('When the person joined the brand.'),
    lastSeenAt: timestamp.nullable().describe('When the person last worked for the brand, or null.'),
    passkeys: count.meta({ description: 'How many passkeys the person has.', examples: [1] }),
  })
  .meta({ id: 'Member', description: 'A person who works for the brand.' })

type MemberRow = Pick<Selectable<Tables['people']>, 'id' | 'email' | 'name'> &
  Pick<Selectable<Tables['members']>, 'role' | 'created_at' | 'last_seen_at'> & { passkeys: number }

export const presentMember = (row: MemberRow): z.infer<typeof member> => ({
  memberId: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  createdAt: iso(row.created_at),
  lastSeenAt: isoOrNull(row.last_seen_at),
  passkeys: row.passkeys,
})

export const invitation = z
  .object({
    invitationId: uuid.describe('The id of the invitation.'),
    email: z.string().meta(about.email),
    role: z.enum(ROLES).meta(about.role),
    createdAt: timestamp.describe('When the person was invited.'),
    expiresAt: timestamp.describe('When the link stops working.'),
  })
  .meta({ id: 'Invitation', description: 'An invitation that nobody has accepted yet.' })

export type InvitationRow = Pick<
  Selectable<Tables['invitations']>,
  'id' | 'email' | 'role' | 'created_at' | 'expires_at'
>

/** In the list of activity, a person is named by their address. */
const subjectOf =
  (kind: ActivitySubject['kind']) =>
  ({ id, email }: { id: string; email: string }): ActivitySubject => ({ kind, id, title: email })

export const memberSubject = subjectOf('member')
export const invitationSubject = subjectOf('invitation')

export const presentInvitation = (row: InvitationRow): z.infer<typeof invitation> => ({
  invitationId: row.id,
  email: row.email,
  role: row.role,
  createdAt: iso(row.created_at),
  expiresAt: iso(row.expires_at),
})

const roleField = z.enum(ROLES).meta(about.role)

export const memberParams = z.object({
  memberId: idOf('member').toLowerCase().describe('The id of the member.'),
})

export const invitationParams = z.object({
  invitationId: idOf('invitation').toLowerCase().describe('The id of the invitation.'),
})

export const invitationBody = z
  .strictObject({ email: emailField.meta(about.email), role: roleField })
  .meta({ id: 'InvitationCreate', description: 'Whom to invite, and as what.' })

export const roleBody = z
  .strictObject({ role: roleField })
  .meta({ id: 'MemberUpdate', description: "The member's new role." })

export const invitationWithUrl = invitation
  .extend({
    url: url.meta({
      description: 'The one-time link, shown only now. Give it to the person yourself.',
      examples: ['https://polls.example.com/console/join#tsl_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'],
    }),
  })
  .meta({ id: 'InvitationWithUrl', description: 'An invitation with its link.' })

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
export const invitationsPage = (db: Db, brandKey: number, now: number, paging: Paging) =>
  newestFirst(
    db,
    'invitations',
    db
      .selectFrom('invitations')
      .select(['id', 'email', 'role', 'created_at', 'expires_at'])
      .where('brand_key', '=', brandKey)
      .where('expires_at', '>', now),
    paging,
  )

/** False if the brand has no such invitation. An expired one can be withdrawn too. */
export const withdrawInvitation = (tx: Tx, brandKey: number, id: string) =>
  tx
    .deleteFrom('invitations')
    .where('brand_key', '=', brandKey)
    .where('id', '=', id)
    .returning(['id', 'email'])
    .executeTakeFirst()

/** For an owner who leaves, or is one no more: with an invitation of theirs they could come back. Activity knows who invited. */
const withdrawInvitationsBy = (tx: Tx, brandKey: number, memberId: string) =>
  tx
    .deleteFrom('invitations')
    .where('brand_key', '=', brandKey)
    .where('id', 'in', (query) =>
      query
        .selectFrom('activity')
        .select('subject_id')
        .where('brand_key', '=', brandKey)
        .where('actor_id', '=', memberId)
        .where('action', '=', 'invitation.created'),
    )
    .execute()

/** For an address that joins or leaves: an invitation that is still open could undo the change. */
export const withdrawInvitationOf = (tx: Tx, brandKey: number, key: string) =>
  tx.deleteFrom('invitations').where('brand_key', '=', brandKey).where('email_key', '=', key).execute()

/**
 * One change at a time of what a person may sign in with; false if the person is gone. Rows are locked in this order: the brand,
 * an invitation to it, the person, then links, passkeys and sessions. An empty update, because SQLite has no other lock on a row.
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
  await tx.deleteFrom('member_mails').where('person_key', '=', personKey).where('brand_key', '=', brandKey).execute()
  await tx.deleteFrom('agent_grants').where('person_key', '=', personKey).where('brand_key', '=', brandKey).execute()
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

/** Locks the brand. An owner who was removed or demoted since their request was admitted invites nobody any more. */
export async function lockBrandOfOwner(tx: Tx, brandKey: number, memberId: string): Promise<void> {
  await lockBrand(tx, brandKey)
  if ((await findMember(tx, brandKey, memberId))?.role !== 'owner') throw roleRequired('owner')
}

export async function changeRole(tx: Tx, { brandKey, memberId, role }: Chosen & { role: Role }): Promise<MemberRow> {
  await lockBrand(tx, brandKey)
  const member = orNotFound(await findMember(tx, brandKey, memberId))
  if (role !== 'owner') {
    await keepAnOwner(tx, brandKey, member)
    await withdrawInvitationsBy(tx, brandKey, memberId)
  }
  await tx
    .updateTable('members')
    .set({ role })
    .where('brand_key', '=', brandKey)
    .where('person_key', '=', member.person_key)
    .execute()
  return { ...member, role }
}

/** Access tokens of the brand end at once, and so do open invitations to the same address and by the member. A person without any brand is forgotten: sessions and passkeys too. */
export async function removeMember(tx: Tx, { brandKey, memberId }: Chosen): Promise<MemberRow> {
  await lockBrand(tx, brandKey)
  const member = orNotFound(await findMember(tx, brandKey, memberId))
  await keepAnOwner(tx, brandKey, member)
  await withdrawInvitationOf(tx, brandKey, emailKey(member.email))
  await withdrawInvitationsBy(tx, brandKey, memberId)
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
  if (!other) throw new AppError('LAST_OWNER')
}
