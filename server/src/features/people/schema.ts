import type { Selectable } from 'kysely'
import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { count, idOf, timestamp, url, uuid } from '../../base/fields.ts'
import { ROLES } from '../../base/roles.ts'
import type { Tables } from '../../db/tables.ts'
import type { ActivitySubject } from '../../events/activity.ts'
import { emailField } from './email.ts'

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

export type MemberRow = Pick<Selectable<Tables['people']>, 'id' | 'email' | 'name'> &
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
      examples: ['https://polls.example.com/console/join/tsl_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'],
    }),
  })
  .meta({ id: 'InvitationWithUrl', description: 'An invitation with its link.' })
