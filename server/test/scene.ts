import { randomInt, randomUUID } from 'node:crypto'
import { typefaceAddress } from '../../embed/src/theme/typeface.ts'
import { madeOnce } from '../src/base/work/single-flight.ts'
import { transaction } from '../src/db/transaction.ts'
import { buildConsole } from '../src/features/console/build-console.ts'
import { emailKey } from '../src/features/people/email.ts'
import { setOperator } from '../src/features/people/links.ts'
import { findSession, startSession } from '../src/features/people/sessions/sessions.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { type CampaignData, createCampaign } from './campaigns.ts'
import type { EngineName } from './engines.ts'
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

export type GuardKind = 'none' | 'page' | 'session' | 'brand' | 'member' | 'voter' | 'key' | 'optional key'

export interface Sample {
  readonly path: string
  readonly ask: Ask
}

/** The path parameter `file` of each route that does not serve a stylesheet. */
const FILES: Readonly<Record<string, string>> = {
  getSitemap: 'polls-1.xml',
  getEmbedFont: typefaceAddress('latin').replace(/.*\//, ''),
}

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
    this.#deliveryId = parts.deliveryId
    this.#fileKey = parts.fileKey
  }

  static async open(engine: EngineName, { settings = {}, ...options }: Options = {}): Promise<Scene> {
    const service = await startTestService(engine, {
      ...options,
      settings: { TRUSTED_PROXIES: '127.0.0.1', ...settings },
    })
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
    return new Scene({ service, brand, stranger, poll, campaign, webhook, owner, operator, deliveryId, fileKey })
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
    const { campaignId } = isCampaignWritten ? await createCampaign(this.service, this.brand, [poll]) : this.campaign
    if (name === 'createWebhook') await this.#makeRoom()
    const webhook = name === 'deleteWebhook' ? await this.#spareWebhook() : this.webhook
    const values: Record<string, string> = {
      slug: poll.slug,
      campaignId,
      brandSlug: this.brand.slug,
      key: this.#fileKey,
      file: await fileOf(name),
      lang: 'de',
      part: 'lists',
      page: 'polls',
      item: poll.shortId,
      id: webhook.id,
      deliveryId: this.#deliveryId,
      token: 'tsl_any',
      doc: 'polls',
      tag: 'votes',
      asset: 'docs.js',
      picture: 'brand.webp',
      ...(await this.#peopleOf(name)),
      appId: isWrittenTo('appId') ? await this.#spareApp() : '',
    }
    if (name === 'uploadFile') return this.#upload()
    const query = name === 'getOEmbed' ? `?url=${this.service.deps.config.publicUrl}/p/${poll.shortId}` : ''
    const path = fullPath(route.spec).replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '') + query
    if (name === 'getOwnVote') await this.service.vote(poll.slug, 'A', this.#voter)
    const json = route.spec.body ? await this.#body(name) : undefined
    // A new network for each request, so that failures of one do not count against the next.
    const headers = newNetwork()
    return { path, ask: { headers, ...(json === undefined ? {} : { json }) } }
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

  async #spareApp(): Promise<string> {
    const app = await this.service.createApp(this.brand.brandKey, ['view'])
    await this.service.db.updateTable('apps').set({ name: 'Spare' }).where('id', '=', app.appId).execute()
    return app.appId
  }

  async #upload(): Promise<Sample> {
    const ticket = await newTicket(this.service, this.brand, { slot: 'optionA', contentType: 'image/png' })
    return { path: pathOf(ticket.uploadUrl), ask: { headers: ticket.headers, raw: paint({ width: 2, height: 1 }) } }
  }

  async #body(name: string): Promise<unknown> {
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
      case 'castVote':
        return { option: 'A' }
      case 'updateMember':
        return { role: 'analyst' }
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

export const newNetwork = () => ({
  'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
})

/** The status of a valid request. The scene has no provider of OpenID Connect: see `oidc.test.ts`. */
export const successOf = ({ spec: { name, answers } }: Route): number =>
  name.endsWith('Oidc') ? 403 : Number(Object.keys(answers)[0])

export function guardKind({ spec }: Route): GuardKind {
  const schemes = spec.guard.security.map((alternative) => Object.keys(alternative).sort().join(' '))
  if (schemes.length === 0) return spec.guard.errors.includes('CROSS_ORIGIN') ? 'page' : 'none'
  if (schemes.includes('session')) return 'session'
  if (schemes.includes('deviceId')) return 'voter'
  if (schemes.includes('')) return 'optional key'
  if (spec.guard.errors.includes('MEMBER_REQUIRED')) return 'member'
  return schemes.includes('bearer') ? 'brand' : 'key'
}

const isOfOperators = (route: Route): boolean =>
  guardKind(route) === 'session' && route.spec.guard.errors.includes('ROLE_REQUIRED')

export const isBrandWrite = ({ spec }: Route): boolean => spec.method !== 'GET' && /^\/brands\/me(\/|$)/.test(spec.path)
