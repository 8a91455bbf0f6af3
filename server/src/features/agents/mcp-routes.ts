import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AppError, type ErrorCode } from '../../base/errors.ts'
import { deterministicBox } from '../../base/secrets.ts'
import { madeOnce } from '../../base/work/single-flight.ts'
import { transaction } from '../../db/transaction.ts'
import { recordActivity } from '../../events/activity.ts'
import { errorBody, type Reply, toAppError } from '../../http/answers/reply.ts'
import { createDoor, type Door } from '../../http/door.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { parseJson, readJsonText } from '../../http/json.ts'
import { ConcurrencyLimit } from '../../http/limits/concurrency-limit.ts'
import { quotaOf } from '../../http/limits/limits.ts'
import { Cursors } from '../../http/paging.ts'
import { API_PREFIX, type Guard, type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { bearerToken, RequestOfAgent } from '../people/tokens/guards.ts'
import { type AgentCaller, findAgent } from './grants.ts'
import { resourceMetadataUrl } from './oauth-routes.ts'
import { answerMessage, notJson, type ProtocolReply, type ToolBox } from './protocol.ts'
import { runTool, type ToolAnswer, type ToolOutcome, type ToolRequest } from './run-tool.ts'
import { LEAVES, type Leave, readTools, type Tool } from './tools.ts'

/** The permissions that a client asks for at first. */
const AT_FIRST: readonly Leave[] = ['read', 'draft']

/** Part of each 401 and of each 403 for want of a permission: from it a client finds out where to ask. */
const challengeOf = (publicUrl: string, leaves: readonly Leave[], error?: string): string =>
  `Bearer ${error ? `error="${error}", ` : ''}resource_metadata="${resourceMetadataUrl(publicUrl)}", scope="${leaves.join(' ')}"`

/** Only tokens of agents. Everything from a page of another origin is refused, so no DNS name that was turned around helps. */
function agent(deps: Deps): Guard<AgentCaller> {
  const { publicUrl } = deps.config
  return {
    async admit(incoming) {
      const origin = header(incoming, 'origin')
      if (origin !== null && origin !== publicUrl) throw new AppError('CROSS_ORIGIN')
      const given = header(incoming, 'authorization')
      const token = bearerToken(incoming)
      const caller = token === undefined ? null : await findAgent(deps, token)
      if (caller) return caller
      const challenge = challengeOf(publicUrl, AT_FIRST, given === null ? undefined : 'invalid_token')
      throw new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': challenge } })
    },
    security: [{ agent: [] }],
    errors: ['CROSS_ORIGIN', 'UNAUTHORIZED'],
    ownerOf: ({ brandKey }) => `brand ${brandKey}`,
  }
}

const rpc = (status: number, body: object | null, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: body === null ? null : JSON.stringify(body),
  headers: {
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    'Cache-Control': 'no-store',
    ...headers,
  },
})

/** JSON-RPC leaves these numbers to servers. */
const REFUSED = -32_000

const refusal = ({ status, code, message, headers }: AppError): Reply =>
  rpc(status, { jsonrpc: '2.0', id: null, error: { code: REFUSED, message, data: { code } } }, headers)

const NOT_JSON: readonly ErrorCode[] = ['MALFORMED_JSON', 'VALIDATION_ERROR']

async function readMessage(incoming: Incoming): Promise<{ message: unknown } | ProtocolReply> {
  const text = await readJsonText(incoming.request)
  incoming.endReceiving()
  try {
    return { message: parseJson(text) }
  } catch (error) {
    if (error instanceof AppError && NOT_JSON.includes(error.code)) return notJson(error.message)
    throw error
  }
}

function requestOf({ method, path, query, body, ifMatch }: ToolRequest): Request {
  const search = query.length > 0 ? `?${new URLSearchParams(Object.fromEntries(query))}` : ''
  const write = { 'Content-Type': 'application/json', 'X-Service-Idempotency-Key': randomUUID() }
  return new Request(`http://tossup${API_PREFIX}${path}${search}`, {
    method,
    headers: { ...(method === 'GET' ? {} : write), ...(ifMatch === null ? {} : { 'If-Match': ifMatch }) },
    ...(body === null ? {} : { body }),
  })
}

/** Tools call `routes` through doors of their own, as the agent: with the same checks, limits and errors as everybody. */
export function mcpRoutes(deps: Deps, routes: readonly Route[]): Route[] {
  const { config, engine, keys, clock } = deps
  const tools = madeOnce(async () => readTools())
  const doors = doorsOf(deps, routes)

  async function send(outer: Incoming, caller: AgentCaller, request: ToolRequest): Promise<ToolAnswer> {
    const incoming = new RequestOfAgent(requestOf(request), outer, caller)
    try {
      const reply = await doors(request.operation)(incoming, request.params)
      return { status: reply.status, body: String(reply.body), etag: reply.headers['ETag'] ?? null }
    } catch (error) {
      const refused = toAppError(error, engine)
      if (refused.status >= 500) deps.log.error({ err: error, operation: request.operation }, 'a tool failed')
      return { status: refused.status, body: errorBody(refused, incoming.requestId), etag: null }
    }
  }

  /** Each call stands in the list of activity. A write has its own entry, which is part of its effect. */
  async function record({ brandKey, actor }: AgentCaller, tool: Tool, outcome: ToolOutcome): Promise<void> {
    const answer = 'lacks' in outcome ? null : outcome.answer
    if (tool.method !== 'GET' && answer && answer.status < 400) return
    const subject = { kind: 'tool', id: tool.name, title: tool.words.title } as const
    await transaction(engine, (tx) =>
      recordActivity(tx, { brandKey, at: clock.now(), actor, action: 'agent.called', subject }),
    )
  }

  return [
    route({
      method: 'POST',
      isOutside: true,
      path: '/mcp',
      name: 'callMcp',
      guard: agent(deps),
      caching: 'none',
      takes: ['application/json'],
      refusal,
      limits: ({ identity: { actor } }) => [{ quota: quotaOf('agentCalls', config), key: `agent ${actor.key}` }],
      answers: {
        200: { description: 'The answer to a request.', contentType: 'application/json', schema: z.looseObject({}) },
        202: { description: 'A notification was accepted.' },
      },
      errors: ['RATE_LIMITED'],
      async handle({ incoming, identity }) {
        const read = await readMessage(incoming)
        if ('status' in read) return rpc(read.status, read.body)
        const known = await tools()
        let lacks: Leave | null = null
        const box: ToolBox = {
          list: known.map(({ words }) => words),
          call(name, given) {
            const tool = known.find((each) => each.name === name)
            if (!tool) return null
            const caller = {
              leaves: identity.leaves,
              now: () => clock.now(),
              send: (request: ToolRequest) => send(incoming, identity, request),
            }
            return runTool(tool, given, caller).then(async (outcome) => {
              await record(identity, tool, outcome)
              if (!('lacks' in outcome)) return outcome.result
              lacks = outcome.lacks
              return { content: [], isError: true }
            })
          },
        }
        const headers = {
          version: header(incoming, 'mcp-protocol-version'),
          method: header(incoming, 'mcp-method'),
          name: header(incoming, 'mcp-name'),
        }
        const { status, body } = await answerMessage(read.message, { headers, tools: box })
        return lacks === null ? rpc(status, body) : lacking(lacks, identity, read.message)
      },
    }),
  ]

  function lacking(leave: Leave, { leaves }: AgentCaller, message: unknown): Reply {
    const needed = LEAVES.filter((each) => each === leave || leaves.includes(each))
    const { id } = message as { id: unknown }
    const text = `This permission does not include ${leave}. The person can give it: authorize again.`
    const body = { jsonrpc: '2.0', id, error: { code: REFUSED, message: text, data: { code: 'insufficient_scope' } } }
    return rpc(403, body, { 'WWW-Authenticate': challengeOf(config.publicUrl, needed, 'insufficient_scope') })
  }

  function doorsOf(of: Deps, all: readonly Route[]): (operation: string) => Door {
    const made = new Map<string, Door>()
    const exports = new ConcurrencyLimit({ name: 'exports', total: 0, perOwner: 0 })
    const doorDeps = { ...of, cursors: new Cursors(deterministicBox(keys.cursor)), exports }
    return (operation) => {
      const known = made.get(operation)
      if (known) return known
      const found = all.find(({ spec }) => spec.name === operation)
      if (!found) throw new Error(`no route is named ${operation}`)
      const door = createDoor(doorDeps, found)
      made.set(operation, door)
      return door
    }
  }
}
