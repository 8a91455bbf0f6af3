import fc from 'fast-check'
import { readTools } from '../../server/src/features/agents/tools.ts'
import type { Route } from '../../server/src/http/route.ts'
import { agentTokens, authorizeQuery, ENVELOPE } from '../../server/test/agents.ts'
import { CALLBACK } from '../../server/test/client-site.ts'
import { addMember } from '../../server/test/people.ts'
import type { Scene } from '../../server/test/scene.ts'
import type { Ask } from '../../server/test/service.ts'
import { anyOfSchema, junk, oddText, type Schema } from './random-values.ts'

/** `json` is sent as JSON, `raw` unchanged. */
export interface RandomBody {
  readonly json?: unknown
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

const REVISION = '2026-07-28'
const METHODS = ['server/discover', 'tools/list', 'initialize', 'ping', 'notifications/initialized', 'resources/list']
/** Less than an agent may send, and a person may answer, in a minute. */
const MOST_USES = 25

const form = (names: readonly string[], values: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 8 }).map(
    (fields): RandomBody => ({
      raw: new URLSearchParams(
        fields.map(([name, value]): [string, string] => [name, value.toWellFormed()]),
      ).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  )

/** Random bodies of the routes that agents and their people use, whose schemas are not in openapi.json. */
export class AgentBodies {
  readonly #scene: Scene
  readonly #slugs: readonly string[]
  readonly #clientId: string
  readonly #refreshToken: string
  #token = ''
  #page: Record<string, string> = {}
  #uses = 0

  private constructor(scene: Scene, parts: { slugs: readonly string[]; clientId: string; refreshToken: string }) {
    this.#scene = scene
    this.#slugs = parts.slugs
    this.#clientId = parts.clientId
    this.#refreshToken = parts.refreshToken
  }

  static async of(scene: Scene): Promise<AgentBodies> {
    const { service, brand, owner } = scene
    const drafts = await Promise.all([1, 2, 3].map(() => service.createPoll(brand, { isDraft: true })))
    const clientId = scene.newClientId()
    const { refresh_token: refreshToken } = await agentTokens(service, brand, owner, { clientId })
    return new AgentBodies(scene, { slugs: drafts.map(({ slug }) => slug), clientId, refreshToken })
  }

  /** Those of the scene, or an agent and a person with all permissions who are far from their limits. */
  async credentials(route: Route, { headers }: { headers: Record<string, string> }): Promise<Ask> {
    const { name } = route.spec
    const isOfPerson = ['readAgentRequest', 'allowAgent', 'signOut'].includes(name)
    if (name !== 'callMcp' && !isOfPerson) return this.#scene.credentials(route, { headers })
    if (this.#uses % MOST_USES === 0) await this.#renew()
    // Signing out ends the session.
    this.#uses = name === 'signOut' ? 0 : this.#uses + 1
    return isOfPerson ? { headers: { ...headers, ...this.#page } } : { token: this.#token, headers }
  }

  async #renew(): Promise<void> {
    const { service, brand } = this.#scene
    const member = await addMember(service, brand, 'owner')
    this.#page = member.page
    const permissions = ['read', 'draft', 'publish']
    this.#token = (await agentTokens(service, brand, member, { clientId: this.#clientId, permissions })).access_token
  }

  bodyOf(name: string): fc.Arbitrary<RandomBody> | null {
    switch (name) {
      case 'callMcp':
        return this.#message()
      case 'issueAgentTokens':
        return form(
          ['grant_type', 'client_id', 'refresh_token', 'code', 'code_verifier', 'redirect_uri', 'resource', 'scope'],
          fc.oneof(
            fc.constantFrom('authorization_code', 'refresh_token', this.#clientId, this.#refreshToken, CALLBACK),
            oddText,
          ),
        )
      case 'revokeAgentToken':
        return form(['token', 'token_type_hint', 'client_id'], fc.oneof(fc.constant('tgr_unknown'), oddText))
      case 'readAgentRequest':
        return this.#query().map((query) => ({ json: { query } }))
      case 'allowAgent':
        return fc
          .record({
            query: this.#query(),
            brandSlug: fc.oneof(fc.constant(this.#scene.brand.slug), oddText),
            permissions: fc.oneof(fc.subarray(['read', 'draft', 'publish']), junk),
          })
          .map((json) => ({ json }))
      default:
        return null
    }
  }

  /** A request for permission of which some fields are replaced. */
  #query(): fc.Arbitrary<string> {
    const valid = new URLSearchParams(authorizeQuery(this.#scene.service, { client_id: this.#clientId }))
    const field = fc.tuple(fc.constantFrom(...valid.keys()), oddText)
    return fc.array(field, { maxLength: 2 }).map((changes) => {
      const query = new URLSearchParams(valid)
      for (const [name, value] of changes) query.set(name, value.toWellFormed())
      return query.toString()
    })
  }

  #message(): fc.Arbitrary<RandomBody> {
    const call = fc.constantFrom(...readTools()).chain(({ name, words }) => {
      const schema = words.inputSchema as Schema
      const known = { slug: this.#slugs, campaignId: [this.#scene.campaign.campaignId] }
      const own = Object.entries(known).filter(([field]) => field in (schema.properties ?? {}))
      const ids = fc.record(Object.fromEntries(own.map(([field, values]) => [field, fc.constantFrom(...values)])))
      const found = fc.oneof({ weight: 4, arbitrary: ids }, { weight: 1, arbitrary: fc.constant({}) })
      return fc
        .tuple(anyOfSchema(schema), found)
        .map(([given, real]) => [name, typeof given === 'object' && given ? { ...given, ...real } : given] as const)
    })
    const isCalled = call.map(([name, given]) => ({ method: 'tools/call', params: { name, arguments: given } }))
    const other = fc.record({
      method: fc.oneof(fc.constantFrom(...METHODS), oddText),
      params: fc.oneof(fc.constant({}), junk),
    })
    const meta = fc.oneof({ weight: 8, arbitrary: fc.constant<unknown>(ENVELOPE) }, { weight: 1, arbitrary: junk })
    const id = fc.oneof({ weight: 8, arbitrary: fc.constant<unknown>(1) }, { weight: 1, arbitrary: junk })
    const sound = fc
      .record({ message: fc.oneof({ weight: 4, arbitrary: isCalled }, { weight: 1, arbitrary: other }), meta, id })
      .map(({ message: { method, params }, ...random }): RandomBody => {
        const whole = typeof params === 'object' && params ? { _meta: random.meta, ...params } : params
        const name = (params as { name?: unknown } | null)?.name
        return {
          json: { jsonrpc: '2.0', id: random.id, method, params: whole },
          headers: {
            'MCP-Protocol-Version': REVISION,
            'Mcp-Method': printable(method),
            ...(typeof name === 'string' ? { 'Mcp-Name': printable(name) } : {}),
          },
        }
      })
    return fc.oneof(
      { weight: 8, arbitrary: sound },
      // Without headers, as clients of earlier revisions send it.
      { weight: 1, arbitrary: isCalled.map((message) => ({ json: { jsonrpc: '2.0', id: 1, ...message } })) },
      { weight: 1, arbitrary: junk.map((json) => ({ json })) },
    )
  }
}

const printable = (text: string): string => text.replace(/[^!-~]/g, '') || '-'
