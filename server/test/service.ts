import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessRole } from '../src/app/process-role.ts'
import { type Service, startService } from '../src/app/start.ts'
import type { JobMode } from '../src/app/worker.ts'
import type { Clock } from '../src/base/clock.ts'
import { createLog } from '../src/base/log.ts'
import type { Scope } from '../src/base/roles.ts'
import { type Config, readConfig } from '../src/config/config.ts'
import { distribute } from '../src/db/postgres/distribute.ts'
import type { Engine } from '../src/db/store.ts'
import { createBrand } from '../src/features/brands/brands.ts'
import { createApp } from '../src/features/people/apps/apps.ts'
import { DELIVERY_POLICY, type DeliveryPolicy } from '../src/features/webhooks/sending/record-outcomes.ts'
import { DeviceWatch } from './device-watch.ts'
import type { EngineName } from './engines.ts'
import { isPair } from './is-pair.ts'
import { checkAgainstOpenApi, describeRoutes } from './openapi-check.ts'
import { ADMIN_URL, createDatabase, type OwnDatabase } from './own-database.ts'
import type { ServerPair } from './server-pair.ts'
import { copySqliteTemplate } from './sqlite-template.ts'

/** A clock that a test moves by hand, relative to real time. */
export class TestClock implements Clock {
  #shift = 0
  #frozenAt: number | null = null

  now(): number {
    return (this.#frozenAt ?? Date.now()) + this.#shift
  }

  advance(milliseconds: number): void {
    this.#shift += milliseconds
  }

  /** From now on only `advance` moves the clock: for tests of exact boundaries. */
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
  /** The whole body; `{}` if there is none. */
  readonly body: {
    data: Data
    nextCursor: string | null
    hasMore: boolean
    error: { code: string; message: string; details: Record<string, unknown>; requestId: string }
  }
}

/** The status with the code of the error. */
export const outcomeOf = ({ status, body }: Reply): string => `${status} ${body.error?.code ?? 'fine'}`

export interface Ask {
  readonly token?: string
  readonly device?: string
  readonly key?: string
  readonly json?: unknown
  /** Sent unchanged, instead of `json`. */
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

interface Parts {
  readonly service: Service
  readonly clock: TestClock
  readonly logLines: string[]
  readonly cleanUp: () => Promise<void>
  /** The two servers of which `service` is made. */
  readonly pair?: ServerPair
}

export class TestService {
  readonly service: Service
  readonly clock: TestClock
  readonly logLines: string[]
  readonly #cleanUp: () => Promise<void>
  readonly #devices = new DeviceWatch()
  readonly #pair: ServerPair | null

  constructor(parts: Parts) {
    this.service = parts.service
    describeRoutes(this.service.routes)
    this.#pair = parts.pair ?? null
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

  /** Sends over a real socket. Every answer is validated against openapi.json, and none may contain a device id. */
  async request<Data = unknown>(method: string, path: string, ask: Ask = {}): Promise<Reply<Data>> {
    const url = new URL(path.startsWith('/') ? path : `/api/rest/v1/${path}`, this.service.url)
    const body = ask.raw ?? (ask.json === undefined ? undefined : JSON.stringify(ask.json))
    const headers = new Headers(ask.headers)
    if (ask.json !== undefined && !headers.has('content-type')) headers.set('Content-Type', 'application/json')
    if (ask.token) headers.set('Authorization', `Bearer ${ask.token}`)
    if (ask.device) headers.set('X-Device-Id', ask.device)
    if (ask.key) headers.set('X-Service-Idempotency-Key', ask.key)
    this.#devices.note(headers.get('x-device-id'), ask.json)
    await this.#pair?.caughtUp()
    const sent = { method, headers, ...(body === undefined ? {} : { body }), redirect: 'manual' } as const
    // A new connection goes to the next server.
    const response = await fetch(url, this.#pair ? { ...sent, keepalive: false } : sent)
    const text = await textOf(response)
    if (method !== 'GET') await this.#pair?.caughtUp()
    checkAgainstOpenApi(method, url.pathname, { status: response.status, headers: response.headers, text })
    this.#devices.assertAbsent(`${method} ${path}`, [text, ...response.headers.values()])
    const isJson = text !== '' && response.headers.get('content-type') === 'application/json'
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
  }

  get = <Data = unknown>(path: string, ask: Ask = {}) => this.request<Data>('GET', path, ask)

  post = <Data = unknown>(path: string, ask: Ask = {}) => this.request<Data>('POST', path, ask)

  /** A write of a brand, with a new idempotency key unless one is given. */
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

  /** Runs the jobs and deliveries that are due by `clock`. The service must be started with `jobs: 'by hand'`. */
  runDue = (): Promise<void> => this.service.runDue()

  async stop(): Promise<void> {
    await this.service.stop()
    await this.#cleanUp()
    this.#devices.assertAbsent('the log', this.logLines)
  }
}

/** The first text of an answer that never ends. */
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

/** The environment of a program that acts as the app. */
export const accessOf = (url: string, { apiKeyId, apiKeySecret }: TestApp) => ({
  TOSSUP_URL: url,
  TOSSUP_API_KEY_ID: apiKeyId,
  TOSSUP_API_KEY_SECRET: apiKeySecret,
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

export interface Options {
  readonly settings?: Record<string, string>
  /** A database that several services share. Its creator drops it. */
  readonly database?: OwnDatabase
  readonly delivery?: Partial<DeliveryPolicy>
  /** Keeps DATA_DIR for the next service, which removes it. */
  readonly keepsData?: boolean
  /** Migrates an empty database instead of copying a migrated one: it then has all pages of its file in memory. */
  readonly migrates?: boolean
  /** 'by hand': jobs and deliveries run only in `runDue`, so that a test need not wait for them. */
  readonly jobs?: JobMode
  readonly role?: ProcessRole
  /** Wraps the database of the service, as in `chaos.ts`. */
  readonly disturb?: (engine: Engine) => Engine
}

/** No name resolves, so that no test calls a foreign server. */
const nowhere = (hostname: string) => Promise.reject(new Error(`${hostname} is not looked up in tests`))

/** For races, in which more transactions than usual shall meet. Keep below 35 connections: others run beside this one. */
export const WIDE_POOL = { DATABASE_POOL: '12' }

/** The whole service on its own database, with limits out of the way unless a test sets them. */
export async function startTestService(engine: EngineName, options: Options = {}): Promise<TestService> {
  const { settings = {}, database: shared, keepsData = false, migrates = false } = options
  const undo: (() => Promise<unknown>)[] = []
  const cleanUp = async () => {
    for (const work of undo.toReversed()) await work()
  }
  const isCopied = engine === 'sqlite' && !shared && settings['DATABASE_URL'] === undefined && !migrates
  const newDataDir = async (): Promise<string> => {
    const given = settings['DATA_DIR']
    const folder = given ?? (await mkdtemp(join(tmpdir(), 'tossup-test-')))
    if (!keepsData) undo.push(() => rm(folder, { recursive: true, force: true }))
    if (isCopied && given === undefined) copySqliteTemplate(folder)
    return folder
  }
  const own = engine === 'postgres' && !shared ? await createDatabase(ADMIN_URL, { mustBeEmpty: migrates }) : null
  if (own) undo.push(() => own.drop())
  const logLines: string[] = []
  const clock = new TestClock()
  const surroundings = { clock, logLines, database: shared ?? own }
  try {
    if (!isPair(engine, options)) {
      const service = await startOne(await newDataDir(), options, surroundings)
      if (shared?.isOnCitus) await distribute(shared.url, async () => undefined)
      return new TestService({ service, clock, logLines, cleanUp })
    }
    // Loaded here, because it starts processes, and files that start none share a process.
    const servers = await import('./server-pair.ts')
    const common = await servers.startShared()
    undo.push(() => common.remove())
    const pair = await servers.ServerPair.start(async (watch) => {
      const given = { ...options, settings: { ...common.settings, ...settings }, disturb: watch }
      return startOne(await newDataDir(), given, surroundings)
    })
    return new TestService({ service: pair.service, clock, logLines, cleanUp, pair })
  } catch (error) {
    await cleanUp()
    throw error
  }
}

interface TestSurroundings {
  readonly clock: TestClock
  readonly logLines: string[]
  readonly database: OwnDatabase | null
}

function startOne(
  dataDir: string,
  { settings = {}, delivery = {}, jobs = 'by time', role = 'all', disturb }: Options,
  { clock, logLines, database }: TestSurroundings,
): Promise<Service> {
  const config: Config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    SECRET_KEY: 'a secret for the tests that is long enough',
    VOTES_PER_MINUTE: '1000000',
    NETWORK_VOTES_PER_MINUTE: '0',
    NETWORK_BRAND_VOTES_PER_MINUTE: '0',
    TOKENS_PER_MINUTE: '1000000',
    BRAND_WRITES_PER_MINUTE: '1000000',
    // Many services run at once on one PostgreSQL, which has room for 100 connections.
    DATABASE_POOL: '4',
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...settings,
  })
  const log = createLog(settings['LOG_LEVEL'] ?? 'error', { write: (line) => void logLines.push(line) })
  return startService(config, {
    log,
    clock,
    deliveryPolicy: { ...DELIVERY_POLICY, resolve: nowhere, drainMs: 500, ...delivery },
    jobs,
    role,
    ...(disturb ? { disturb } : {}),
  })
}
