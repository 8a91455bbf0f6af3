// features/people: the people who work for brands: members, invitations, and how they sign in.
// The secrets of sessions and links are stored only as keyed hashes.

import { z } from 'zod'
import { orNotFound, roleRequired } from '../../base/errors.ts'
import { onCommit } from '../../db/transaction.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import { header } from '../../http/incoming.ts'
import { type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { invite } from './links.ts'
import { invitationMail, type Mailer, mailInvitation, mayMailInvitation } from './mail/mailer.ts'
import {
  changeRole,
  invitation,
  invitationBody,
  invitationParams,
  invitationSubject,
  invitationsPage,
  invitationWithUrl,
  lockBrandOfOwner,
  member,
  memberParams,
  memberSubject,
  membersPage,
  presentInvitation,
  presentMember,
  removeMember,
  roleBody,
  withdrawInvitation,
} from './members.ts'
import { owner, person } from './tokens/guards.ts'

export function memberRoutes(deps: Deps, { mailer }: { mailer: Mailer }): Route[] {
  const ownerGuard = owner(deps)
  const common = { tag: 'People', caching: 'private' } as const
  return [
    route({
      method: 'GET',
      path: '/brands/me/members',
      name: 'listMembers',
      ...common,
      summary: 'The members of your brand, in the order in which they joined',
      description: 'For people only: every member may see the others.',
      guard: person(deps),
      isPaged: true,
      answers: { 200: { description: 'A page of members.', schema: z.array(member) } },
      async handle({ identity, paging }) {
        const { rows, next } = await membersPage(deps.engine.db, identity.brandKey, paging)
        return { data: rows.map(presentMember), next }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/members/{memberId}',
      name: 'updateMember',
      ...common,
      summary: 'Change the role of a member',
      description:
        'For owners. The scopes of the access tokens that the member has follow at once. Open invitations of an owner who becomes something else are withdrawn.',
      guard: ownerGuard,
      action: 'member.updated',
      params: memberParams,
      body: roleBody,
      answers: { 200: { description: 'The member after the change.', schema: member } },
      errors: ['NOT_FOUND', 'LAST_OWNER'],
      async handle({ identity: { brandKey }, params: { memberId }, body: { role } }, tx) {
        const row = await changeRole(tx, { brandKey, memberId, role })
        return { data: presentMember(row), subject: memberSubject(row) }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/members/{memberId}',
      name: 'removeMember',
      ...common,
      summary: 'Remove a member',
      description:
        "For owners; any member may remove themself. The member's access tokens of the brand end at once, their open downloads within five seconds, and the invitations that they made are withdrawn. A person who works for no other brand is forgotten, with their sessions and passkeys.",
      guard: person(deps),
      action: 'member.removed',
      params: memberParams,
      answers: { 204: { description: 'Removed.' } },
      errors: ['NOT_FOUND', 'LAST_OWNER', 'ROLE_REQUIRED'],
      async handle({ identity: { brandKey, actor }, params: { memberId } }, tx) {
        if (actor.role !== 'owner' && actor.id !== memberId) throw roleRequired('owner')
        return { status: 204, subject: memberSubject(await removeMember(tx, { brandKey, memberId })) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/invitations',
      name: 'listInvitations',
      ...common,
      summary: 'Invitations that nobody has accepted yet, newest first',
      description: 'For owners. The links are not shown again. Expired invitations are left out.',
      guard: ownerGuard,
      isPaged: true,
      answers: { 200: { description: 'A page of invitations.', schema: z.array(invitation) } },
      async handle({ identity: { brandKey }, paging, now }) {
        const { rows, next } = await invitationsPage(deps.engine.db, brandKey, now, paging)
        return { data: rows.map(presentInvitation), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/invitations',
      name: 'createInvitation',
      ...common,
      summary: 'Invite a person',
      description:
        'For owners. The link works once, for 7 days, and only this answer shows it; where the operator has set `SMTP_URL`, a link is mailed too, at most 20 a day beyond those that led to a member: give the link to the others yourself. Inviting an address again replaces its earlier invitation; a brand has at most 100 that are open. To accept the link of this answer, a person who has an account already must be signed in; the mailed link signs in by itself.',
      guard: ownerGuard,
      action: 'invitation.created',
      body: invitationBody,
      hasSecret: true,
      answers: { 201: { description: 'The invitation with its link.', schema: invitationWithUrl } },
      errors: ['ALREADY_MEMBER', 'ROLE_REQUIRED'],
      async handle({ identity: { brandKey, actor }, body: { email, role }, incoming, now }, tx) {
        await lockBrandOfOwner(tx, brandKey, actor.id)
        const invited = await invite(deps, tx, { brandKey, email, role })
        const lang = preferredLang(header(incoming, 'accept-language'))
        if (await mayMailInvitation(tx, brandKey, now)) {
          const mail = await invitationMail(deps, tx, { invited, brandKey, lang, inviterId: actor.id })
          onCommit(tx, () => mailInvitation(deps, mailer, mail))
        }
        const data = { ...presentInvitation(invited.invitation), url: invited.url }
        return { status: 201, data, subject: invitationSubject(invited.invitation) }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/invitations/{invitationId}',
      name: 'deleteInvitation',
      ...common,
      summary: 'Withdraw an invitation',
      description: 'For owners. Its links stop working at once.',
      guard: ownerGuard,
      action: 'invitation.deleted',
      params: invitationParams,
      answers: { 204: { description: 'Withdrawn.' } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params: { invitationId } }, tx) {
        const withdrawn = orNotFound(await withdrawInvitation(tx, brandKey, invitationId))
        return { status: 204, subject: invitationSubject(withdrawn) }
      },
    }),
  ]
}
