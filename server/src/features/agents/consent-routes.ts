import { z } from 'zod'
import { notFound, orNotFound, sessionRequired } from '../../base/errors.ts'
import { idOf, timestamp, uniqueList, uuid } from '../../base/fields.ts'
import { transaction } from '../../db/transaction.ts'
import { quotaOf } from '../../http/limits/limits.ts'
import { type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { MAY_PROLONG, personFields } from '../people/sessions/session-routes.ts'
import { brandsOf, lockSession, type Session, signedIn } from '../people/sessions/sessions.ts'
import { person } from '../people/tokens/guards.ts'
import { lockBrand } from '../people/tokens/queries.ts'
import { clientFinder, readAuthorizeRequest, redirectTo } from './clients.ts'
import { createGrant, endListedGrant, grantSubject, grantsPage, presentGrant } from './grants.ts'
import { LEAVES } from './tools.ts'

const QUERY =
  'client_id=https://agent.example/client.json&redirect_uri=http://127.0.0.1:33418/callback&response_type=code&state=one'

const query = z
  .string()
  .max(4_096)
  .meta({
    description: 'The query of `/oauth/authorize`, as the agent sent it.',
    examples: [QUERY],
  })

const lookBody = z.strictObject({ query }).meta({ id: 'AgentRequestRead', description: 'The request of an agent.' })

const redirect = z.string().meta({
  description: 'The address of the agent to which the browser goes now.',
  examples: ['http://127.0.0.1:33418/callback?error=access_denied&state=one&iss=https://polls.example.com'],
})

const agentRequest = z
  .object({
    name: z
      .string()
      .nullable()
      .meta({
        description: 'The name that the agent gives itself; null if its request was refused.',
        examples: ['Poll writer'],
      }),
    host: z
      .string()
      .nullable()
      .meta({ description: 'The host that answers for the agent, or null.', examples: ['agent.example'] }),
    leadsTo: z
      .string()
      .meta({ description: 'The host or app to which the answer leads.', examples: ['127.0.0.1:33418'] }),
    refusalTo: redirect.describe(
      'The address to which a refusal leads: of the person, or of a request that is not valid.',
    ),
  })
  .meta({ id: 'AgentRequest', description: 'A program that asks to act for the person.' })

const allowBody = z
  .strictObject({
    query,
    brandSlug: z
      .string()
      .min(1)
      .max(63)
      .meta({ description: 'The brand for which the agent may act.', examples: ['tossup-demo'] }),
    permissions: uniqueList(z.enum(LEAVES), { least: 1, most: LEAVES.length }).meta({
      description: 'The permissions of the agent. Reading is always part of them.',
      examples: [['read', 'draft']],
    }),
  })
  .meta({ id: 'AgentAllow', description: 'The permission of an agent.' })

const allowed = z
  .object({ redirectTo: redirect })
  .meta({ id: 'AgentAllowed', description: 'Where the browser goes now.' })

const leadsTo = (redirectUri: string): string => {
  const { host, protocol } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

/** For the consent page. A document of a client is fetched for people who are signed in alone. */
export function consentRoutes(deps: Deps): Route[] {
  const { engine, config } = deps
  const findClient = clientFinder(config)
  const { publicUrl } = config
  const limits = ({ identity }: { identity: Session }) => [
    { quota: quotaOf('agentRequests', config), key: `person ${identity.personKey}` },
  ]
  const read = (given: string, { personKey }: Session) =>
    readAuthorizeRequest(given, { publicUrl, personKey, findClient })
  const common = { method: 'POST', tag: 'People', guard: signedIn(deps), caching: 'none', limits } as const

  return [
    route({
      ...common,
      path: '/auth/agents/request',
      name: 'readAgentRequest',
      summary: 'Who asks to act for you, and where that leads',
      description:
        'For the consent page: it needs the cookie of a session. A client or an address that is not valid is 422; any other fault is a refusal that leads back to the agent.',
      body: lookBody,
      answers: { 200: { description: 'The agent.', headers: MAY_PROLONG, schema: agentRequest } },
      async handle({ identity, body }) {
        const asked = await read(body.query, identity)
        if ('refusedTo' in asked) {
          const refusalTo = asked.refusedTo
          return { data: { name: null, host: null, leadsTo: leadsTo(refusalTo), refusalTo } }
        }
        const { client, redirectUri, state } = asked
        const refusalTo = redirectTo({ redirectUri, state, publicUrl }, { error: 'access_denied' })
        return { data: { name: client.name, host: new URL(client.id).host, leadsTo: leadsTo(redirectUri), refusalTo } }
      },
    }),

    route({
      ...common,
      path: '/auth/agents',
      name: 'allowAgent',
      summary: 'Allow an agent to act for you',
      description:
        'For the consent page: it needs the cookie of a session. The answer leads back to the agent with a one-time code that works for a minute. A brand that the person does not work for is 404.',
      body: allowBody,
      answers: { 200: { description: 'The way back to the agent.', headers: MAY_PROLONG, schema: allowed } },
      // The session can end meanwhile.
      errors: ['UNAUTHORIZED', 'NOT_FOUND'],
      async handle({ identity, body }) {
        const asked = await read(body.query, identity)
        if ('refusedTo' in asked) return { data: { redirectTo: asked.refusedTo } }
        const brand = orNotFound(
          (await brandsOf(engine.db, identity.personKey)).find(({ slug }) => slug === body.brandSlug),
        )
        const { client, redirectUri, state, challenge } = asked
        const code = await transaction(engine, async (tx) => {
          // Under the lock of the brand, as the end of a membership: no grant of somebody who has left stays.
          await lockBrand(tx, brand.key, notFound)
          if (!(await lockSession(tx, identity.sessionKey))) throw sessionRequired()
          const members = await brandsOf(tx, identity.personKey)
          if (!members.some(({ key }) => key === brand.key)) throw notFound()
          const grant = { person: identity, brandKey: brand.key, client, challenge, redirectUri }
          return createGrant(deps, tx, { ...grant, leaves: body.permissions })
        })
        return { data: { redirectTo: redirectTo({ redirectUri, state, publicUrl }, { code }) } }
      },
    }),
  ]
}

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
