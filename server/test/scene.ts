import { randomInt, randomUUID } from 'node:crypto'
import { keepFile } from '../src/features/uploads/files.ts'
import { fullPath, type Route } from '../src/http/route.ts'
import { type CampaignData, createCampaign } from './campaigns.ts'
import type { EngineName } from './engines.ts'
import { paint } from './pictures.ts'
import {
  type Ask,
  keyHeaders,
  type PollData,
  type Reply,
  startTestService,
  type TestBrand,
  type TestService,
} from './service.ts'
import { newTicket, pathOf } from './uploads.ts'
import { createWebhook, sendTest, type WebhookData } from './webhooks.ts'

export type GuardKind = 'none' | 'brand' | 'voter' | 'key' | 'optional key'

export interface Sample {
  readonly path: string
  readonly ask: Ask
}

/** A service with a brand, a stranger's brand and one of everything, and a request that works for each route. */
export class Scene {
  readonly service: TestService
  readonly brand: TestBrand
  readonly stranger: TestBrand
  readonly poll: PollData
  readonly campaign: CampaignData
  readonly webhook: WebhookData
  readonly #deliveryId: string
  readonly #fileKey: string

  private constructor(parts: {
    service: TestService
    brand: TestBrand
    stranger: TestBrand
    poll: PollData
    campaign: CampaignData
    webhook: WebhookData
    deliveryId: string
    fileKey: string
  }) {
    this.service = parts.service
    this.brand = parts.brand
    this.stranger = parts.stranger
    this.poll = parts.poll
    this.campaign = parts.campaign
    this.webhook = parts.webhook
    this.#deliveryId = parts.deliveryId
    this.#fileKey = parts.fileKey
  }

  static async open(engine: EngineName, settings: Record<string, string> = {}): Promise<Scene> {
    const service = await startTestService(engine, { settings: { TRUSTED_PROXIES: '127.0.0.1', ...settings } })
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
    // One that nothing in these tests raises: what is delivered behind a test would change rows under it.
    const webhook = await createWebhook(service, brand, { events: ['webhook.test'] })
    const deliveryId = (await sendTest(service, brand, webhook)).id
    return new Scene({ service, brand, stranger, poll, campaign, webhook, deliveryId, fileKey })
  }

  get routes(): readonly Route[] {
    return this.service.service.routes
  }

  /** What this request needs to succeed, without its credentials and key. */
  async bare(route: Route): Promise<Sample> {
    const { name, method } = route.spec
    const poll = method === 'GET' ? this.poll : await this.service.createPoll(this.brand)
    const isCampaignWritten = method !== 'GET' && route.spec.path.includes('{campaignId}')
    const { campaignId } = isCampaignWritten ? await createCampaign(this.service, this.brand, [poll]) : this.campaign
    if (name === 'createWebhook') await this.#makeRoom()
    const webhook = name === 'deleteWebhook' ? await this.#spareWebhook() : this.webhook
    const values: Record<string, string> = {
      slug: poll.slug,
      campaignId,
      brandSlug: this.brand.slug,
      key: this.#fileKey,
      file: name === 'getSitemap' ? 'polls-1.xml' : 'v1.css',
      lang: 'de',
      id: webhook.id,
      deliveryId: this.#deliveryId,
    }
    if (name === 'uploadFile') return this.#upload()
    const query = name === 'getOEmbed' ? `?url=${this.service.deps.config.publicUrl}/p/${poll.shortId}` : ''
    const path = fullPath(route.spec).replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '') + query
    if (name === 'getOwnVote') await this.service.vote(poll.slug, 'A', this.#voter)
    const json = route.spec.body ? await this.#body(name) : undefined
    // Each request from a network of its own: what one of them does wrong is not held against the next.
    const headers = { 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` }
    return { path, ask: { headers, ...(json === undefined ? {} : { json }) } }
  }

  async valid(route: Route): Promise<Sample> {
    const { path, ask } = await this.bare(route)
    return {
      path,
      ask: { ...ask, ...this.credentials(route, ask), ...(route.kind === 'once' ? { key: randomUUID() } : {}) },
    }
  }

  credentials(route: Route, { headers }: Ask): Ask {
    switch (guardKind(route)) {
      case 'brand':
        return { token: this.brand.token }
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

  /** A brand has few webhooks: those that earlier requests have made go. */
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
      case 'castVote':
        return { option: 'A' }
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

export function guardKind({ spec }: Route): GuardKind {
  const schemes = spec.guard.security.map((alternative) => Object.keys(alternative).sort().join(' '))
  if (schemes.length === 0) return 'none'
  if (schemes.includes('deviceId')) return 'voter'
  if (schemes.includes('')) return 'optional key'
  return schemes.includes('bearer') ? 'brand' : 'key'
}

export const isBrandWrite = ({ spec }: Route): boolean => spec.method !== 'GET' && /^\/brands\/me(\/|$)/.test(spec.path)
