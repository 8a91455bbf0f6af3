import type {
  AgentAllow,
  AgentAllowed,
  AgentRequest,
  NewPasskey,
  Passkey,
  PasskeyCreate,
  ServedBrand,
  ServiceState,
  Session,
  SignedInMember,
} from './openapi.ts'
import type { QueryOf } from './visitor.ts'
import {
  bodyOf,
  type CallOptions,
  type DataOf,
  type Endpoint,
  Http,
  type Outgoing,
  type ServiceOptions,
} from './wire/http.ts'
import { List, type Page } from './wire/list.ts'

type SignedIn = { member: SignedInMember }

interface Listed {
  readonly query: Outgoing['query']
  readonly cursor?: string | undefined
}

/**
 * The session of a person, for pages of the service itself: the browser sends its cookie, and other origins are refused. To act
 * for a brand, make a `Tossup` with `auth: { brandSlug }`.
 *
 * @example
 * const session = new SessionClient({ url: location.origin })
 * const { member, brands } = await session.read()
 * const tossup = new Tossup({ url: location.origin, auth: { brandSlug: brands[0].slug } })
 */
export class SessionClient {
  readonly #http: Http

  constructor(options: ServiceOptions) {
    this.#http = new Http(options)
  }

  /** Who is signed in, and for which brands. `UNAUTHORIZED` where nobody is. */
  read(options?: CallOptions): Promise<DataOf<'GET /auth/session'>> {
    return this.#http.call('GET /auth/session', {}, options)
  }

  /** Mails a link. The answer is the same whether or not a member has the address. */
  async requestLink(email: string, options?: CallOptions): Promise<void> {
    await this.#once('POST /auth/links', { body: { email } }, options)
  }

  /** Uses up the token of a link or invitation. */
  async signIn(token: string, options?: CallOptions): Promise<SignedIn> {
    return this.#once('POST /auth/session', { body: { token } }, options)
  }

  async signOut(options?: CallOptions): Promise<void> {
    await this.#http.call('DELETE /auth/session', {}, options)
  }

  /** Where this person is signed in. */
  listSessions(options?: CallOptions): List<Session> {
    return this.#list<Session>('GET /auth/sessions', options)
  }

  async endSession(id: string, options?: CallOptions): Promise<void> {
    await this.#http.call('DELETE /auth/sessions/{id}', { params: { id } }, options)
  }

  /** The options for `navigator.credentials.get`. */
  challengePasskey(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#once('POST /auth/passkeys/challenge', {}, options)
  }

  async signInWithPasskey(credential: object, options?: CallOptions): Promise<SignedIn> {
    return this.#once('POST /auth/passkeys/session', { body: { credential } }, options)
  }

  /** The options for `navigator.credentials.create`. */
  beginPasskey(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#once('POST /auth/passkeys/options', {}, options)
  }

  createPasskey(credential: object, name?: string, options?: CallOptions): Promise<NewPasskey> {
    const body: PasskeyCreate = { credential: credential as Record<string, unknown>, name }
    return this.#once('POST /auth/passkeys', { body }, options)
  }

  listPasskeys(options?: CallOptions): List<Passkey> {
    return this.#list<Passkey>('GET /auth/passkeys', options)
  }

  renamePasskey(id: string, name: string, options?: CallOptions): Promise<Passkey> {
    return this.#http.call('PATCH /auth/passkeys/{id}', { params: { id }, body: { name } }, options)
  }

  async deletePasskey(id: string, options?: CallOptions): Promise<void> {
    await this.#http.call('DELETE /auth/passkeys/{id}', { params: { id } }, options)
  }

  /** The agent that sent the person to the consent page with this query. */
  readAgentRequest(query: string, options?: CallOptions): Promise<AgentRequest> {
    return this.#once('POST /auth/agents/request', { body: { query } }, options)
  }

  /** The address to which the browser goes next, with a one-time code for the agent. */
  allowAgent(body: AgentAllow, options?: CallOptions): Promise<AgentAllowed> {
    return this.#once('POST /auth/agents', { body }, options)
  }

  /** The state of the service. `ROLE_REQUIRED` for a person who is no operator. */
  readService(options?: CallOptions): Promise<ServiceState> {
    return this.#http.call('GET /service', {}, options)
  }

  /** Every brand with its volumes, newest first; for an operator too. */
  listServedBrands(
    { cursor, ...query }: QueryOf<'GET /service/brands'> = {},
    options?: CallOptions,
  ): List<ServedBrand> {
    return this.#list<ServedBrand>('GET /service/brands', options, { cursor, query })
  }

  /** One attempt: what these requests use up, or send, cannot be repeated safely. */
  async #once<E extends Endpoint>(endpoint: E, outgoing: Outgoing, options?: CallOptions): Promise<DataOf<E>> {
    return bodyOf(await this.#http.once(endpoint, outgoing, options)).data as DataOf<E>
  }

  #list<Item>(
    endpoint: 'GET /auth/sessions' | 'GET /auth/passkeys' | 'GET /service/brands',
    options?: CallOptions,
    { cursor: from, query }: Listed = { query: { limit: 100 } },
  ): List<Item> {
    const read = async (cursor: string | undefined, pageOptions: CallOptions) =>
      bodyOf(await this.#http.send(endpoint, { query: { ...query, cursor } }, pageOptions)) as Page<Item>
    return new List(read, from, options)
  }
}
