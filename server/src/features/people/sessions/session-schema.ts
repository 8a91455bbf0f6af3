import { z } from 'zod'
import { iso } from '../../../base/clock.ts'
import { count, idOf, timestamp, uuid } from '../../../base/fields.ts'
import { ROLES, SCOPES } from '../../../base/roles.ts'
import { emailField } from '../email.ts'
import type { Person, Session } from './sessions.ts'

const LINK_TOKEN = 'tsl_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'

export const linkBody = z
  .strictObject({ email: emailField.meta({ description: 'The address of a member.', examples: ['ada@example.com'] }) })
  .meta({ id: 'LinkRequest', description: 'Whom to mail a sign-in link.' })

export const linkSent = z.object({
  sent: z.literal(true).describe('Always true, also if nobody has this address.'),
})

const linkToken = z.string().min(1).max(100)

export const signInBody = z
  .strictObject({
    token: linkToken.meta({ description: 'The last part of the address of the link.', examples: [LINK_TOKEN] }),
  })
  .meta({ id: 'SignIn', description: 'The one-time link to use up.' })

const signedInMember = z
  .object({
    memberId: uuid.describe('The permanent id of the person.'),
    email: z.string().meta({ description: 'The address, as it was typed.', examples: ['ada@example.com'] }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'The name, or null if none is known.', examples: ['Ada'] }),
  })
  .meta({ id: 'SignedInMember', description: 'The person who is signed in.' })

export const signedInAnswer = z.object({ member: signedInMember.describe('Who is signed in.') })

export const presentPerson = ({ memberId, email, name }: Person): z.infer<typeof signedInMember> => ({
  memberId,
  email,
  name,
})

export const ownSession = z.object({
  member: signedInMember.describe('Who is signed in.'),
  brands: z
    .array(
      z.object({
        slug: z.string().meta({ description: 'The slug of the brand.', examples: ['tossup-demo'] }),
        name: z.string().meta({ description: 'The name of the brand.', examples: ['Corner Bakery'] }),
        role: z.enum(ROLES).meta({ description: "The person's role.", examples: ['owner'] }),
      }),
    )
    .describe('The brands that the person works for.'),
  operator: z
    .boolean()
    .meta({ description: 'True for a person who looks after the whole service.', examples: [false] }),
})

export const sessionTokenBody = z
  .strictObject({
    brandSlug: z
      .string()
      .min(1)
      .max(63)
      .meta({ description: 'The brand to act for.', examples: ['tossup-demo'] }),
  })
  .meta({ id: 'SessionTokenRequest', description: 'The brand of the access token.' })

export const sessionToken = z
  .object({
    accessToken: z.string().meta({
      description: 'Send it in the header `Authorization: Bearer …`.',
      examples: ['tsm_8sWq2ZkYx0PfLhV5nTgJ3cRb7MdUa9EoKiXw4HlQv1S'],
    }),
    expiresIn: count.meta({ description: 'Its lifetime in seconds. For another one, ask again.', examples: [900] }),
    tokenType: z.literal('Bearer').describe('Always `Bearer`.'),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'The scopes of the role.', examples: [['view', 'analytics']] }),
    role: z.enum(ROLES).meta({ description: "The person's role in the brand.", examples: ['analyst'] }),
  })
  .meta({ id: 'SessionToken', description: 'An access token of a person, without a refresh token.' })

export const sessionParams = z.object({ id: idOf('session').toLowerCase().describe('The id of the session.') })

export const listedSession = z
  .object({
    id: uuid.describe('The id of the session.'),
    createdAt: timestamp.describe('When the person signed in.'),
    lastSeenAt: timestamp.describe('When the session was last used, to the minute.'),
    userAgent: z.string().meta({ description: 'What the browser calls itself.', examples: ['Mozilla/5.0'] }),
    current: z.boolean().meta({ description: 'True for the session of this request.', examples: [true] }),
  })
  .meta({ id: 'Session', description: 'A browser in which the person is signed in.' })

export const presentSession = (
  row: { id: string; created_at: number; last_seen_at: number; user_agent: string },
  { sessionId }: Session,
): z.infer<typeof listedSession> => ({
  id: row.id,
  createdAt: iso(row.created_at),
  lastSeenAt: iso(row.last_seen_at),
  userAgent: row.user_agent,
  current: row.id === sessionId,
})
