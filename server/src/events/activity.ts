import { newOrderedUuid } from '../base/ids.ts'
import type { Tx } from '../db/store.ts'

/** Every action in the list of activity. An action that emits an event has the name of that event. */
export const ACTIONS = {
  'brand.created': 'The brand was created.',
  'brand.updated': 'The profile was changed.',
  'brand.theme_updated': 'The theme was changed.',
  'source_name.created': 'A source was declared.',
  'source_name.deleted': 'A source was deleted.',
  'poll.created': 'A poll was created.',
  'poll.updated': 'A poll was changed, archived or restored.',
  'poll.published': 'A draft was published, whatever else was changed with it.',
  'poll.deleted': 'A poll was deleted.',
  'campaign.created': 'A campaign was created.',
  'campaign.updated': 'A campaign was changed.',
  'campaign.deleted': 'A campaign was deleted.',
  'code_list.created': 'A code list was created.',
  'code_list.updated': 'A code list was renamed.',
  'code_list.deleted': 'A code list was deleted.',
  'codes.issued': 'Codes were issued.',
  'codes.revoked': 'Codes were revoked.',
  'upload.requested': 'A ticket to upload a picture was issued, for a poll or for the theme.',
  'results_link.created': 'A link to the results of a poll or a campaign was made.',
  'results_link.deleted': 'A link to results was ended.',
  'webhook.created': 'A webhook was created.',
  'webhook.updated': 'A webhook was changed, enabled or disabled.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.secret_rotated': 'A webhook got a new secret.',
  'webhook.test': 'A test delivery was requested.',
  'webhook.redelivered': 'An event was sent to a webhook again.',
  'app.created': 'An app was created, with its API key.',
  'app.updated': 'An app was renamed.',
  'app.secret_rotated': 'An app got a new secret.',
  'app.revoked': 'An app was revoked, with all its tokens.',
  'invitation.created': 'A person was invited.',
  'invitation.deleted': 'An invitation was withdrawn.',
  'member.joined': 'A person accepted an invitation or was admitted.',
  'member.updated': 'The role of a member was changed.',
  'member.removed': 'A member was removed or left.',
  'agent.allowed': 'A person allowed an agent to act for them.',
  'agent.ended': 'The permission of an agent was ended.',
  'agent.called': 'An agent called a tool that reads, or one that was refused.',
} as const

export type Action = keyof typeof ACTIONS

export const ACTION_NAMES = Object.keys(ACTIONS) as [Action, ...Action[]]

export const ACTOR_KINDS = ['member', 'app', 'agent', 'operator'] as const
export const SUBJECT_KINDS = [
  'brand',
  'poll',
  'campaign',
  'code_list',
  'webhook',
  'app',
  'member',
  'invitation',
  'agent',
  'tool',
] as const

/** The actor of a change: a person, an app or an agent by an access token, or the operator by a command on the server's machine. */
export type ActivityActor =
  | { readonly kind: 'member' | 'app'; readonly key: number; readonly id: string }
  | AgentActor
  | { readonly kind: 'operator' }

/** A program that acts for a person: `id` is that of the grant. */
export interface AgentActor {
  readonly kind: 'agent'
  readonly key: number
  readonly id: string
  readonly name: string
  readonly person: { readonly id: string; readonly name: string }
}

const OPERATOR_ID = 'operator'

/** The resource that an action changed. The title is a name for people; it must never contain a secret. */
export interface ActivitySubject {
  readonly kind: (typeof SUBJECT_KINDS)[number]
  readonly id: string
  readonly title: string
}

/**
 * Adds one entry to the list of activity, in the transaction of the effect. The door calls it for every `writeOnce`, and
 * `operatorWrite` for every command: a write that takes another way must call it itself.
 */
export async function recordActivity(
  tx: Tx,
  entry: { brandKey: number; at: number; actor: ActivityActor; action: Action; subject: ActivitySubject },
): Promise<void> {
  const { brandKey, at, actor, action, subject } = entry
  await tx
    .insertInto('activity')
    .values({
      id: newOrderedUuid(at),
      brand_key: brandKey,
      at,
      actor_kind: actor.kind,
      actor_id: actor.kind === 'operator' ? OPERATOR_ID : actor.id,
      actor_name: await nameOf(tx, actor, subject),
      person_id: actor.kind === 'agent' ? actor.person.id : null,
      person_name: actor.kind === 'agent' ? actor.person.name : null,
      action,
      subject_kind: subject.kind,
      subject_id: subject.id,
      subject_title: subject.title,
    })
    .execute()
}

/** Read here, so that requests which write nothing need not read it. */
async function nameOf(tx: Tx, actor: ActivityActor, subject: ActivitySubject): Promise<string | null> {
  if (actor.kind === 'operator') return null
  if (actor.kind === 'agent') return actor.name
  if (actor.kind === 'app') {
    const app = await tx.selectFrom('apps').select('name').where('key', '=', actor.key).executeTakeFirst()
    return app?.name ?? null
  }
  const person = await tx.selectFrom('people').select(['name', 'email']).where('key', '=', actor.key).executeTakeFirst()
  if (person) return person.name ?? person.email
  // Somebody who left their last brand is forgotten by now, and is the subject too.
  return subject.id === actor.id ? subject.title : null
}
