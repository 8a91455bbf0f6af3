import { randomUUID } from 'node:crypto'
import { typefaceAddress } from '../../embed/src/theme/typeface.ts'
import { madeOnce } from '../src/base/work/single-flight.ts'
import { transaction } from '../src/db/transaction.ts'
import { buildConsole } from '../src/features/console/console-routes.ts'
import { extendLogs } from '../src/features/log/extend-logs.ts'
import { emailKey } from '../src/features/people/email.ts'
import { setOperator } from '../src/features/people/links.ts'
import { stopLink } from '../src/features/people/mail/preferences.ts'
import { findSession, startSession } from '../src/features/people/sessions/sessions.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { AGENT_SETTINGS, agentTokens, authorizeQuery } from './agents.ts'
import { type CampaignData, createCampaign } from './campaigns.ts'
import { ClientSite } from './client-site.ts'
import { type CodeListData, createCodeList, issueCodes } from './codes.ts'
import { docsBuilt } from './docs-built.ts'
import type { EngineName } from './engines.ts'
import { newNetwork } from './network.ts'
import { assertion, challengeToRegister, register } from './passkeys.ts'
import { addMember, newLinkToken, OWN_PAGE, type TestMember } from './people.ts'
import { paint } from './pictures.ts'
import {
  type Ask,
  keyHeaders,
  type Options,
  type PollData,
  type Reply,
  startTestService,
  type TestBrand,
  type TestService,
} from './service.ts'
import { SoftwarePasskey } from './software-passkey.ts'
import { newTicket, pathOf } from './uploads.ts'
import { createWebhook, sendTest, type WebhookData } from './webhooks.ts'

export type GuardKind = 'none' | 'agent' | 'page' | 'session' | 'brand' | 'member' | 'voter' | 'key' | 'optional key'

export interface Sample {
  readonly path: string
  readonly ask: Ask
}

/** The path parameter `file` of each route that does not serve a stylesheet. */
const FILES: Readonly<Record<string, string>> = {
  getSitemap: 'polls-1.xml',
  getEmbedFont: typefaceAddress('latin').replace(/.*\//, ''),
}

/** Routes whose bodies are not those of the interface. */
const OTHER_BODIES: readonly string[] = ['uploadFile', 'callMcp', 'issueAgentTokens', 'revokeAgentToken']

/** Agents that ask for permissions. */
const clients = new ClientSite().unref()

// Bundling takes a fifth of a second, and these tests ask for it for each kind of caller.
const consoleOnce = madeOnce(buildConsole)

/** The names of the console's files change with their content. */
async function fileOf(name: string): Promise<string> {
  if (name === 'getConsoleScript') return (await consoleOnce()).script
  return name === 'getConsoleStyles' ? (await consoleOnce()).styles : (FILES[name] ?? 'v1.css')
}

/** A service with a brand, another brand and one of every resource, and a working request for each route. */
export class Scene {
  readonly service: TestService
  readonly brand: TestBrand
  readonly stranger: TestBrand
  readonly poll: PollData
  readonly campaign: CampaignData
  readonly webhook: WebhookData
  readonly owner: TestMember
  /** An analyst of a third brand. */
  readonly operator: TestMember
  /** A token of an agent of the owner, for `/mcp` alone. */
  readonly agentToken: string
  readonly #deliveryId: string
  readonly #fileKey: string

  private constructor(parts: {
    service: TestService
    brand: TestBrand
    stranger: TestBrand
    poll: PollData
    campaign: CampaignData
    webhook: WebhookData
    owner: TestMember
    operator: TestMember
    agentToken: string
    deliveryId: string
    fileKey: string
  }) {
    this.service = parts.service
    this.brand = parts.brand
    this.stranger = parts.stranger
    this.poll = parts.poll
    this.campaign = parts.campaign
    this.webhook = parts.webhook
    this.owner = parts.owner
    this.operator = parts.operator
    this.agentToken = parts.agentToken
    this.#deliveryId = parts.deliveryId
    this.#fileKey = parts.fileKey
  }

  static async open(engine: EngineName, { settings = {}, ...options }: Options = {}): Promise<Scene> {
    const service = await startTestService(engine, {
      ...options,
      settings: { ...AGENT_SETTINGS, ...settings },
    })
    await docsBuilt()
    const brand = await service.createBrand()
    const stranger = await service.createBrand()
    const poll = await service.createPoll(brand)
    const campaign = await createCampaign(service, brand, [poll])
    const fileKey = await keepFile(service.db, service.deps, {
      brandKey: brand.brandKey,
      slot: 'optionA',
      contentType: 'image/png',
      bytes: new TextEncoder().encode('not really a picture'),
      width: 1,
      height: 1,
    })
    await service.write('PATCH', 'brands/me/theme', {
      token: brand.token,
      json: { customCss: '.title { color: teal }' },
    })
    // Subscribed to an event that these tests never raise: a delivery in the background would change rows.
    const webhook = await createWebhook(service, brand, { events: ['webhook.test'] })
    const deliveryId = (await sendTest(service, brand, webhook)).id
    const owner = await addMember(service, brand, 'owner')
    const operator = await addMember(service, await service.createBrand(), 'analyst')
    await transaction(service.deps.engine, (tx) => setOperator(tx, emailKey(operator.email), true))
    const agent = await agentTokens(service, brand, owner, { clientId: clients.add() })
    const people = { owner, operator, agentToken: agent.access_token }
    return new Scene({ service, brand, stranger, poll, campaign, webhook, ...people, deliveryId, fileKey })
  }

  get routes(): readonly Route[] {
    return this.service.service.routes
  }

  /** The parts of a request that it needs to succeed, without credentials and idempotency key. */
  async bare(route: Route): Promise<Sample> {
    const { name, method } = route.spec
    const isWrittenTo = (parameter: string) => method !== 'GET' && route.spec.path.includes(`{${parameter}}`)
    const isCampaignWritten = isWrittenTo('campaignId')
    // Creating a poll costs more than most requests, so only a route that may change one gets its own.
    const poll = isWrittenTo('slug') || isCampaignWritten ? await this.service.createPoll(this.brand) : this.poll
    const columns = name === 'getCrosstab' ? await this.service.createPoll(this.brand) : poll
    const { campaignId } = await this.#campaignWith([...new Set([poll, columns])], isCampaignWritten)
    if (name === 'createWebhook') await this.#makeRoom()
    const webhook = name === 'deleteWebhook' ? await this.#spareWebhook() : this.webhook
    const opensAt = new Date(this.service.clock.now() + 86_400_000).toISOString()
    const isScheduled = name === 'getPollCalendar'
    const shown = isScheduled ? await this.service.createPoll(this.brand, { opensAt }) : poll
    const values: Record<string, string> = {
      slug: shown.slug,
      campaignId,
      brandSlug: this.brand.slug,
      key: this.#fileKey,
      file: await fileOf(name),
      lang: 'de',
      part: 'campaign',
      page: 'polls',
      item: poll.shortId,
      id: webhook.id,
      deliveryId: this.#deliveryId,
      token: name.startsWith('getResults') ? await this.#resultsToken() : 'tsl_any',
      asset: 'docs.js',
      picture: 'arabic-390.webp',
      ...(await this.#codeListOf(route)),
      name: name === 'deleteSourceName' ? await this.#spareSource() : '',
      ...(await this.#logOf(name, shown)),
      linkId: isWrittenTo('linkId') ? await this.#spareResultsLink(name, { slug: poll.slug, campaignId }) : '',
      ...(await this.#peopleOf(name)),
      appId: isWrittenTo('appId') ? await this.#spareApp() : '',
    }
    if (OTHER_BODIES.includes(name)) return this.#otherBody(route)
    const queries: Record<string, string> = {
      getOEmbed: `?url=${this.service.deps.config.publicUrl}/p/${poll.shortId}`,
      streamManyTallies: `?polls=${poll.slug}`,
      getCrosstab: `?rows=${poll.slug}&columns=${columns.slug}`,
    }
    const query = queries[name] ?? ''
    const path = fullPath(route.spec).replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '') + query
    if (name === 'getOwnVote') await this.service.vote(poll.slug, 'A', this.#voter)
    const json = route.spec.body ? await this.#body(name, values) : undefined
    // A new network for each request, so that failures of one do not count against the next.
    const headers = newNetwork()
    return { path, ask: { headers, ...(json === undefined ? {} : { json }) } }
  }

  #campaignWith(steps: readonly PollData[], isWritten: boolean): Promise<Pick<CampaignData, 'campaignId'>> {
    if (!isWritten && steps.length === 1) return Promise.resolve(this.campaign)
    return createCampaign(this.service, this.brand, steps)
  }

  async valid(route: Route): Promise<Sample> {
    const { path, ask } = await this.bare(route)
    // Signing out ends a session, and the next route needs one.
    const isLast = route.spec.name === 'signOut'
    const session = isLast ? await addMember(this.service, this.brand, 'editor') : undefined
    return {
      path,
      ask: {
        ...ask,
        ...this.credentials(route, ask, session),
        ...(route.kind === 'once' ? { key: randomUUID() } : {}),
      },
    }
  }

  credentials(route: Route, { headers }: Ask, session = isOfOperators(route) ? this.operator : this.owner): Ask {
    switch (guardKind(route)) {
      case 'brand':
        return { token: this.brand.token }
      case 'page':
        return { headers: { ...headers, ...OWN_PAGE } }
      case 'session':
        return { headers: { ...headers, ...session.page } }
      case 'agent':
        return { token: this.agentToken }
      case 'member':
        return { token: this.owner.token }
      case 'voter':
        return { device: route.spec.method === 'GET' ? this.#voter : randomUUID() }
      case 'key':
        return { headers: { ...headers, ...keyHeaders(this.brand) } }
      default:
        return {}
    }
  }

  send = ({ spec }: Route, { path, ask }: Sample): Promise<Reply> => this.service.request(spec.method, path, ask)

  readonly #voter = randomUUID()

  /** People and their things that the route may change or remove. */
  async #peopleOf(name: string): Promise<Record<string, string>> {
    const { service, brand, owner } = this
    if (name === 'updateMember' || name === 'removeMember') {
      return { memberId: (await addMember(service, brand, 'editor')).memberId }
    }
    if (name === 'endAgent') return { agentId: await this.#spareAgent() }
    if (name === 'deleteInvitation') {
      const json = { email: `${randomUUID()}@people.test`, role: 'editor' }
      const { body } = await service.write<{ invitationId: string }>('POST', 'brands/me/invitations', {
        token: owner.token,
        json,
      })
      return { invitationId: body.data.invitationId }
    }
    if (name === 'updatePasskey' || name === 'deletePasskey') {
      await service.db.deleteFrom('passkeys').where('person_key', '=', owner.personKey).execute()
      const { body } = await register(service, owner.page, new SoftwarePasskey())
      return { id: body.data.id }
    }
    if (name === 'getMailStop' || name === 'stopMails') {
      const brands = service.db.selectFrom('brands').select('id').where('key', '=', brand.brandKey)
      const { id: brandId } = await brands.executeTakeFirstOrThrow()
      const url = stopLink(service.deps, { memberId: owner.memberId, brandId })
      return { subscription: url.split('/').at(-1) ?? '' }
    }
    if (name === 'endSession') {
      const secret = await startSession(service.deps, service.db, { personKey: owner.personKey, userAgent: null })
      return { id: (await findSession(service.deps, secret))?.sessionId ?? '' }
    }
    return {}
  }

  /** A person may have only a few passkeys, so this removes those of earlier requests. */
  async #newCredential(): Promise<unknown> {
    const { service, owner } = this
    await service.db.deleteFrom('passkeys').where('person_key', '=', owner.personKey).execute()
    const challenge = await challengeToRegister(service, owner.page)
    return new SoftwarePasskey().create({ challenge, origin: service.deps.config.publicUrl })
  }

  async #assertion(): Promise<unknown> {
    const passkey = new SoftwarePasskey()
    await this.service.db.deleteFrom('passkeys').where('person_key', '=', this.owner.personKey).execute()
    await register(this.service, this.owner.page, passkey)
    return assertion(this.service, passkey)
  }

  /** A brand may have only a few webhooks, so this removes those of earlier requests. */
  async #makeRoom(): Promise<void> {
    await this.service.db
      .deleteFrom('webhooks')
      .where('brand_key', '=', this.brand.brandKey)
      .where('id', '<>', this.webhook.id)
      .execute()
  }

  async #spareWebhook(): Promise<WebhookData> {
    await this.#makeRoom()
    return createWebhook(this.service, this.brand, { events: ['webhook.test'] })
  }

  /** Makes room for another app. The tests' own apps have no name. */
  async #revokeSpareApps(): Promise<void> {
    await this.service.db
      .updateTable('apps')
      .set({ revoked_at: 0 })
      .where('brand_key', '=', this.brand.brandKey)
      .where('name', 'is not', null)
      .execute()
  }

  async #spareSource(): Promise<string> {
    const name = `s-${randomUUID()}`
    await this.service.db
      .insertInto('source_names')
      .values({ brand_key: this.brand.brandKey, name, created_at: 0 })
      .execute()
    return name
  }

  async #spareApp(): Promise<string> {
    const app = await this.service.createApp(this.brand.brandKey, ['view'])
    await this.service.db.updateTable('apps').set({ name: 'Spare' }).where('id', '=', app.appId).execute()
    return app.appId
  }

  async #codeListOf({ spec: { path } }: Route): Promise<{ codeListId: string }> {
    return path.includes('{codeListId}') ? this.codeList() : { codeListId: '' }
  }

  codeList = (): Promise<CodeListData> => createCodeList(this.service, this.brand, `Members ${randomUUID()}`)

  /** A picture, or the bodies of agents. */
  async #otherBody({ spec }: Route): Promise<Sample> {
    if (spec.name === 'uploadFile') return this.#upload()
    const path = fullPath(spec)
    if (spec.name === 'callMcp')
      return { path, ask: { headers: newNetwork(), json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } }
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...newNetwork() }
    if (spec.name === 'revokeAgentToken') return { path, ask: { headers, raw: 'token=unknown' } }
    const clientId = clients.add()
    const { refresh_token } = await agentTokens(this.service, this.brand, await this.#newOwner(), { clientId })
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token }
    return { path, ask: { headers, raw: new URLSearchParams(form).toString() } }
  }

  /** A person may answer only so many requests of agents in a minute. */
  #newOwner = () => addMember(this.service, this.brand, 'owner')

  newClientId = () => clients.add()

  addAgent = async () => agentTokens(this.service, this.brand, await this.#newOwner(), { clientId: clients.add() })

  async #spareAgent(): Promise<string> {
    await this.addAgent()
    const { body } = await this.service.get<{ agentId: string }[]>('brands/me/agents', { token: this.owner.token })
    return body.data[0]?.agentId ?? ''
  }

  async #spareResultsLink(name: string, { slug, campaignId }: Record<'slug' | 'campaignId', string>): Promise<string> {
    const of = name === 'deletePollResultsLink' ? `polls/${slug}` : `campaigns/${campaignId}`
    const { body } = await this.service.write<{ linkId: string }>('POST', `brands/me/${of}/results-links`, {
      token: this.brand.token,
      json: {},
    })
    return body.data.linkId
  }

  /** Votes on the poll, and waits for no job. */
  async #logOf(name: string, { id, slug }: PollData): Promise<Record<string, string>> {
    if (!/Log|Receipt/.test(name)) return {}
    const { service } = this
    await service.vote(slug, 'A', this.#voter)
    await service.db.updateTable('polls').set({ vote_total: 1 }).where('id', '=', id).execute()
    await extendLogs(service.deps)
    const { body } = await service.get<{ url: string }>(`brands/me/polls/${slug}/log`, { token: this.brand.token })
    const generation = body.data.url.replace(/.*\//, '')
    return { pollId: id, generation, tilePath: 'entries/000.p/1' }
  }

  async #resultsToken(): Promise<string> {
    const path = `brands/me/polls/${this.poll.slug}/results-links`
    const { body } = await this.service.write<{ url: string }>('POST', path, { token: this.brand.token, json: {} })
    return body.data.url.replace(/.*\//, '')
  }

  async #upload(): Promise<Sample> {
    const ticket = await newTicket(this.service, this.brand, { slot: 'optionA', contentType: 'image/png' })
    return { path: pathOf(ticket.uploadUrl), ask: { headers: ticket.headers, raw: paint({ width: 2, height: 1 }) } }
  }

  async #body(name: string, { codeListId = '' }: Record<string, string>): Promise<unknown> {
    switch (name) {
      case 'createPoll':
        return { title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } }
      case 'updatePoll':
        return { title: 'Coffee or tea?' }
      case 'createCampaign':
        return { title: `Breakfast ${randomUUID()}`, polstIds: [(await this.service.createPoll(this.brand)).id] }
      case 'updateCampaign':
        return { title: `Lunch ${randomUUID()}` }
      case 'updateBrand':
        return { description: 'Open from seven' }
      case 'updateTheme':
        return { radius: 'LG' }
      case 'createWebhook':
        return { url: 'https://hooks.example/', events: ['webhook.test'] }
      case 'updateWebhook':
        return { description: 'Our receiver' }
      case 'createPollImageTicket':
        return { slot: 'optionA', contentType: 'image/png' }
      case 'createThemeAssetTicket':
        return { slot: 'favicon', contentType: 'image/png', byteSize: 1_000 }
      case 'createApp':
        await this.#revokeSpareApps()
        return { name: 'Website', scopes: ['view', 'vote'] }
      case 'updateApp':
        return { name: 'Kiosk' }
      case 'rotateAppSecret':
        return { overlapSeconds: 60 }
      case 'createSourceName':
        return { name: 'newsletter' }
      case 'createCodeList':
      case 'updateCodeList':
        return { name: `Members ${randomUUID()}` }
      case 'issueCodes':
        return { count: 2 }
      case 'revokeCodes':
        return { codes: await issueCodes(this.service, this.brand, { codeListId, count: 1 }) }
      case 'createPollResultsLink':
      case 'createCampaignResultsLink':
        return { expiresAt: null }
      case 'castVote':
        return { option: 'A' }
      case 'updateMember':
        return { role: 'analyst' }
      case 'updateMailPreferences':
        return { pollClosed: true }
      case 'createInvitation':
        return { email: `${randomUUID()}@people.test`, role: 'editor' }
      case 'requestLink':
        return { email: this.owner.email.replace('@', `-${randomUUID()}@`) }
      case 'signIn':
        return { token: await newLinkToken(this.service, await addMember(this.service, this.brand, 'editor')) }
      case 'createPasskey':
        return { credential: await this.#newCredential() }
      case 'signInWithPasskey':
        return { credential: await this.#assertion() }
      case 'updatePasskey':
        return { name: 'My phone' }
      case 'readAgentRequest':
        return { query: authorizeQuery(this.service, { client_id: clients.add() }) }
      case 'allowAgent':
        return {
          query: authorizeQuery(this.service, { client_id: clients.add() }),
          brandSlug: this.brand.slug,
          permissions: ['read'],
        }
      case 'issueSessionToken':
        return { brandSlug: this.brand.slug }
      case 'issueTokens':
        return { externalDeviceId: randomUUID() }
      case 'refreshTokens':
        return { refreshToken: (await this.service.exchange(this.brand)).refreshToken }
      case 'revokeTokens':
        return { token: (await this.service.exchange(this.brand)).accessToken }
      default:
        throw new Error(`a body that works for ${name} belongs here`)
    }
  }
}

/** The status of a valid request. The scene has no provider of OpenID Connect: see `oidc.test.ts`. */
export const successOf = ({ spec: { name, answers } }: Route): number =>
  name.endsWith('Oidc') ? 403 : Number(Object.keys(answers)[0])

export function guardKind({ spec }: Route): GuardKind {
  const schemes = spec.guard.security.map((alternative) => Object.keys(alternative).sort().join(' '))
  if (schemes.length === 0) return spec.guard.errors.includes('CROSS_ORIGIN') ? 'page' : 'none'
  if (schemes.includes('session')) return 'session'
  if (schemes.includes('agent')) return 'agent'
  if (schemes.includes('deviceId')) return 'voter'
  if (schemes.includes('')) return 'optional key'
  if (spec.guard.errors.includes('MEMBER_REQUIRED')) return 'member'
  return schemes.includes('bearer') ? 'brand' : 'key'
}

const isOfOperators = (route: Route): boolean =>
  guardKind(route) === 'session' && route.spec.guard.errors.includes('ROLE_REQUIRED')

export const isBrandWrite = ({ spec }: Route): boolean => spec.method !== 'GET' && /^\/brands\/me(\/|$)/.test(spec.path)
