import { z } from 'zod'
import { orNotFound } from '../../base/errors.ts'
import { idOf, timestamp, uuid } from '../../base/fields.ts'
import { type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { personFields } from '../people/sessions/session-routes.ts'
import { person } from '../people/tokens/guards.ts'
import { endListedGrant, grantSubject, grantsPage, presentGrant } from './grants.ts'
import { LEAVES } from './tools.ts'

const agentParams = z.object({ agentId: idOf('agent').toLowerCase().describe('The id of the permission.') })

const grant = z
  .object({
    agentId: uuid.describe('The id of the permission.'),
    name: z.string().meta({ description: 'The name that the agent gives itself.', examples: ['Poll writer'] }),
    host: z.string().meta({ description: 'The host that answers for the agent.', examples: ['agent.example'] }),
    permissions: z
      .array(z.enum(LEAVES))
      .meta({ description: 'The permissions of the agent.', examples: [['read', 'draft']] }),
    member: z.object(personFields).describe('The person for whom it acts.'),
    createdAt: timestamp.describe('When the person allowed it.'),
    lastUsedAt: timestamp.nullable().describe('When it last called a tool, to the minute, or null.'),
  })
  .meta({ id: 'Agent', description: 'A program that a member allowed to act for them.' })

/** For people alone: an agent must not end or see the permissions of others. */
export function grantRoutes(deps: Deps): Route[] {
  const common = { tag: 'People', guard: person(deps), caching: 'private' } as const
  type Caller = Awaited<ReturnType<typeof common.guard.admit>>
  /** An owner sees and ends the agents of every member. */
  const seenBy = ({ brandKey, actor }: Caller, now: number) => ({
    brandKey,
    personKey: actor.role === 'owner' ? null : actor.key,
    now,
  })
  return [
    route({
      method: 'GET',
      path: '/brands/me/agents',
      name: 'listAgents',
      ...common,
      summary: 'Agents that may act for the brand, newest first',
      description: 'Your own; for owners those of every member.',
      isPaged: true,
      answers: { 200: { description: 'A page of agents.', schema: z.array(grant) } },
      async handle({ identity, paging, now }) {
        const { rows, next } = await grantsPage(deps.engine.db, seenBy(identity, now), paging)
        return { data: rows.map(presentGrant), next }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/agents/{agentId}',
      name: 'endAgent',
      action: 'agent.ended',
      ...common,
      summary: 'End the permission of an agent',
      description: 'Its tokens stop working at once. Members end their own, owners any.',
      params: agentParams,
      answers: { 204: { description: 'Ended.' } },
      errors: ['NOT_FOUND'],
      async handle({ identity, params, now }, tx) {
        const ended = orNotFound(await endListedGrant(tx, seenBy(identity, now), params.agentId))
        return { status: 204, subject: grantSubject(ended) }
      },
    }),
  ]
}
