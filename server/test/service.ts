import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../src/base/clock.ts'
import { createLog } from '../src/base/log.ts'
import type { Scope } from '../src/base/scopes.ts'
import { type Config, readConfig } from '../src/config.ts'
import { createBrand } from '../src/features/brands/create-brand.ts'
import { DELIVERY_POLICY, type DeliveryPolicy } from '../src/features/deliveries/policy.ts'
import { createApp } from '../src/features/tokens/apps.ts'
import { type Service, startService } from '../src/start.ts'
import { DeviceWatch } from './device-watch.ts'
import type { EngineName } from './engines.ts'
import { checkAgainstOpenApi } from './openapi-check.ts'
import { createDatabase, type OwnDatabase } from './own-database.ts'

/** A clock that a test moves by hand, on top of the real one. */
export class TestClock implements Clock {
  #shift = 0
  #frozenAt: number | null = null

  now(): number {
    return (this.#frozenAt ?? Date.now()) + this.#shift
  }

  advance(milliseconds: number): void {
    this.#shift += milliseconds
  }

  /** From now on only `advance` moves it: for what must happen exactly at a boundary. */
  freeze(): void {
    this.#frozenAt ??= Date.now()
  }

  thaw(): void {
    this.#frozenAt = null
  }
}

export interface Reply<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The whole body; `{}` where there is none. */
  readonly body: {
    data: Data
    nextCursor: string | null
    hasMore: boolean
    error: { code: string; message: string; details: Record<string, unknown>; requestId: string }
  }
}

export interface Ask {
  readonly token?: string
  readonly device?: string
  readonly key?: string
  readonly json?: unknown
  /** Sent as it is, in place of `json`. */
  readonly raw?: string | Uint8Array | ReadableStream<Uint8Array>
  readonly headers?: Record<string, string>
}

export interface TestApp {
  readonly appId: string
  readonly apiKeyId: string
  readonly apiKeySecret: string
}

export interface TestBrand extends TestApp {
  readonly slug: string
  readonly brandKey: number
  readonly token: string
}

export class TestService {
  readonly service: Service
  readonly clock: TestClock
  readonly logLines: string[]
  readonly #cleanUp: () => Promise<void>
  readonly #devices = new DeviceWatch()

  constructor(parts: { service: Service; clock: TestClock; logLines: string[]; cleanUp: () => Promise<void> }) {
    this.service = parts.service
    this.clock = parts.clock
    this.logLines = parts.logLines
    this.#cleanUp = parts.cleanUp
  }

  get deps() {
    return this.service.deps
  }

  get db() {
    return this.service.deps.engine.db
  }

  /** Over a real socket; every answer is held against openapi.json, and none may name a device. */
  async request<Data = unknown>(method: string, path: string, ask: Ask = {}): Promise<Reply<Data>> {
    const url = new URL(path.startsWith('/') ? path : `/api/rest/v1/${path}`, this.service.url)
    const body = ask.raw ?? (ask.json === undefined ? undefined : JSON.stringify(ask.json))
    const headers = new Headers(ask.headers)
    if (ask.json !== undefined && !headers.has('content-type')) headers.set('Content-Type', 'application/json')
    if (ask.token) headers.set('Authorization', `Bearer ${ask.token}`)
    if (ask.device) headers.set('X-Device-Id', ask.device)
    if (ask.key) headers.set('X-Service-Idempotency-Key', ask.key)
    this.#devices.note(headers.get('x-device-id'), ask.json)
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }), redirect: 'manual' })
    const text = await textOf(response)
    checkAgainstOpenApi(method, url.pathname, { status: response.status, headers: response.headers, text })
    this.#devices.assertAbsent(`${method} ${path}`, [text, ...response.headers.values()])
    const isJson = text !== '' && response.headers.get('content-type') === 'application/json'
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
  }

  get = <Data = unknown>(path: string, ask: Ask = {}) => this.request<Data>('GET', path, ask)

  post = <Data = unknown>(path: string, ask: Ask = {}) => this.request<Data>('POST', path, ask)

  /** A write of a brand, under a fresh idempotency key unless one is given. */
  write = <Data = unknown>(method: 'POST' | 'PATCH' | 'DELETE', path: string, ask: Ask = {}) =>
    this.request<Data>(method, path, { key: randomUUID(), ...ask })

  vote = <Data = VoteData>(poll: string, option: string, device: string = randomUUID()) =>
    this.post<Data>(`polls/${poll}/votes`, { device, json: { option } })

  async createApp(brandKey: number | null, scopes: readonly Scope[]): Promise<TestApp> {
    return createApp(this.db, this.deps, { brandKey, scopes })
  }

  async createBrand(scopes: readonly Scope[] = ['view', 'vote', 'manage', 'analytics']): Promise<TestBrand> {
    const slug = `brand-${randomUUID().slice(0, 13)}`
    const brand = await createBrand(this.db, this.deps, { slug, name: `Brand ${slug}` })
    if (typeof brand === 'string') throw new Error(brand)
    const app = await this.createApp(brand.key, scopes)
    const token = (await this.exchange(app)).accessToken
    return { slug, brandKey: brand.key, ...app, token }
  }

  async exchange(app: TestApp, externalDeviceId: string = randomUUID()): Promise<PairData> {
    const reply = await this.post<PairData>('auth/token', { headers: keyHeaders(app), json: { externalDeviceId } })
    if (reply.status !== 200) throw new Error(`no token: ${reply.text}`)
    return reply.body.data
  }

  async createPoll(brand: Pick<TestBrand, 'token'>, fields: Record<string, unknown> = {}): Promise<PollData> {
    const reply = await this.write<PollData>('POST', 'brands/me/polls', {
      token: brand.token,
      json: { title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' }, ...fields },
    })
    if (reply.status !== 201) throw new Error(`no poll: ${reply.text}`)
    return reply.body.data
  }

  async stop(): Promise<void> {
    await this.service.stop()
    await this.#cleanUp()
    this.#devices.assertAbsent('the log', this.logLines)
  }
}

/** Of an answer without an end, what comes first. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text()
  const reader = response.body?.getReader()
  const part = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(part?.value)
}

export const keyHeaders = (app: TestApp): Record<string, string> => ({
  'X-API-Key-ID': app.apiKeyId,
  'X-API-Key-Secret': app.apiKeySecret,
})

export interface PairData {
  accessToken: string
  refreshToken: string
  expiresIn: number
  tokenType: string
  scopes: string[]
}

export interface TalliesData {
  optionA: number
  optionB: number
  total: number
  hidden?: true
}

export interface VoteData {
  option: string
  tallies: TalliesData
  votedAt: string
}

export interface PollData {
  id: string
  slug: string
  shortId: string
  title: string
  status: string
  tallies: TalliesData
  updatedAt: string
  tags: string[]
  [field: string]: unknown
}

interface Options {
  readonly settings?: Record<string, string>
  /** A database that several services share; its maker drops it. */
  readonly database?: OwnDatabase
  readonly delivery?: Partial<DeliveryPolicy>
  /** DATA_DIR stays for the next service, which removes it. */
  readonly keepsData?: boolean
}

/** No name leads anywhere, so that no test calls a stranger. */
const nowhere = (hostname: string) => Promise.reject(new Error(`${hostname} is not looked up in tests`))

/** The whole service on its own database, with limits out of the way unless a test sets them. */
export async function startTestService(
  engine: EngineName,
  { settings = {}, database: shared, delivery = {}, keepsData = false }: Options = {},
): Promise<TestService> {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'tossup-test-')))
  const own = engine === 'postgres' && !shared ? await createDatabase() : null
  const database = shared ?? own
  const config: Config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    SECRET_KEY: 'a secret for the tests that is long enough',
    VOTES_PER_MINUTE: '1000000',
    NETWORK_VOTES_PER_MINUTE: '0',
    TOKENS_PER_MINUTE: '1000000',
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...settings,
  })
  const logLines: string[] = []
  const log = createLog(settings['LOG_LEVEL'] ?? 'error', { write: (line) => void logLines.push(line) })
  const clock = new TestClock()
  const cleanUp = async () => {
    await own?.drop()
    if (!keepsData) await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const deliveryPolicy = { ...DELIVERY_POLICY, resolve: nowhere, drainMs: 500, ...delivery }
    const service = await startService(config, { log, clock, deliveryPolicy })
    return new TestService({ service, clock, logLines, cleanUp })
  } catch (error) {
    await cleanUp()
    throw error
  }
}
