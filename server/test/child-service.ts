import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import type { DatabasePlace } from '../src/config/config.ts'
import { type Opened, openDatabase } from '../src/db/open.ts'
import { transaction } from '../src/db/transaction.ts'
import { createBrand } from '../src/features/brands/brands.ts'
import { createApp, type NewApp } from '../src/features/people/apps/apps.ts'
import { tossupCommand } from './command.ts'
import { createDatabase } from './own-database.ts'
import { copySqliteTemplate } from './sqlite-template.ts'

const MAIN = new URL('../src/main.ts', import.meta.url).pathname
const SECRET_KEY = 'a secret of the tests that start a real process'
const KEPT_LINES = 50
const STOP_WITHIN_MS = 20_000

/** The data of a server. It outlives the processes that serve from it. */
export interface Home {
  readonly dataDir: string
  readonly database: DatabasePlace
  remove(): Promise<void>
}

/** `adminUrl` null means SQLite; otherwise a new database on that PostgreSQL server. On Citus its votes are distributed unless it must be empty. */
export async function createHome(adminUrl: string | null, { mustBeEmpty = false } = {}): Promise<Home> {
  const own = adminUrl === null ? null : await createDatabase(adminUrl, { mustBeEmpty })
  const dataDir = await mkdtemp(join(tmpdir(), 'tossup-home-'))
  if (adminUrl === null && !mustBeEmpty) copySqliteTemplate(dataDir)
  return {
    dataDir,
    database: own ? { engine: 'postgres', url: own.url } : { engine: 'sqlite', dataDir },
    async remove() {
      await rm(dataDir, { recursive: true, force: true })
      await own?.drop()
    },
  }
}

/** Opens the database beside the server, or without one, as commands do. */
export async function inDatabase<T>(home: Home, work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = await openDatabase({ database: home.database, secretKeys: [SECRET_KEY] })
  try {
    return await work(opened)
  } finally {
    await opened.engine.close()
  }
}

export interface Owner extends NewApp {
  readonly brandSlug: string
  readonly brandKey: number
}

export const createOwner = (home: Home, brandSlug: string): Promise<Owner> =>
  inDatabase(home, ({ engine, keys }) =>
    // A transaction waits for its turn beside a server that writes.
    transaction(engine, async (tx) => {
      const brand = await createBrand(tx, { clock: systemClock }, { slug: brandSlug, name: brandSlug })
      if (typeof brand === 'string') throw new Error(brand)
      const scopes = ['view', 'vote', 'manage', 'analytics'] as const
      const app = await createApp(tx, { clock: systemClock, keys }, { brandKey: brand.key, scopes })
      return { ...app, brandSlug, brandKey: brand.key }
    }),
  )

export interface Launch {
  readonly settings?: Readonly<Record<string, string>>
  /** A prefix of the command, such as `taskset -c 0`. */
  readonly before?: readonly string[]
  /** A script that changes the process before Tossup is loaded. */
  readonly preload?: string
  /** More words after `serve`. */
  readonly options?: readonly string[]
  /** The command of another program instead of Tossup; it must print its URL in the same way. */
  readonly program?: readonly string[]
}

/** `serve` in a separate process that a test can kill. */
export class ChildService {
  readonly url: string
  /** The last lines of its log. */
  readonly lastLines: () => string[]
  readonly #process: Bun.Subprocess

  private constructor(url: string, process: Bun.Subprocess, lastLines: () => string[]) {
    this.url = url
    this.#process = process
    this.lastLines = lastLines
  }

  static async start(home: Home, launch: Launch = {}): Promise<ChildService> {
    const { settings = {}, before = [], options = [], preload, program } = launch
    const words = ['serve', '--json', ...options]
    // A build cannot be told to load another module first.
    const changed = preload && [process.execPath, '--no-env-file', '--no-install', '--preload', preload, MAIN, ...words]
    const child = Bun.spawn([...before, ...(program ?? (changed || tossupCommand(words)))], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        TMPDIR: tmpdir(),
        // Replaces the flag `--no-orphans`, which the one-file build does not accept.
        BUN_FEATURE_FLAG_NO_ORPHANS: '1',
        NODE_ENV: 'production',
        // The same settings as in scripts/run-main.mjs.
        BUN_JSC_forceRAMSize: String(1024 ** 3),
        MIMALLOC_PURGE_HOLES: process.env['MIMALLOC_PURGE_HOLES'] ?? '0',
        UV_THREADPOOL_SIZE: process.env['UV_THREADPOOL_SIZE'] ?? '16',
        PORT: '0',
        LOG_LEVEL: 'warn',
        DATA_DIR: home.dataDir,
        SECRET_KEY,
        VOTES_PER_MINUTE: '1000000',
        NETWORK_VOTES_PER_MINUTE: '0',
        NETWORK_BRAND_VOTES_PER_MINUTE: '0',
        TOKENS_PER_MINUTE: '1000000',
        BRAND_WRITES_PER_MINUTE: '0',
        ...(home.database.engine === 'postgres' ? { DATABASE_URL: home.database.url } : {}),
        ...settings,
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const lastLines = keepLastLines(child.stderr)
    const line = await firstLine(child.stdout)
    if (line === null) {
      await child.exited
      throw new Error(`the server did not start:\n${lastLines().join('\n')}`)
    }
    return new ChildService(String(JSON.parse(line).url), child, lastLines)
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Sends SIGKILL. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#process.exited
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM')
    // Real time: waits for another process to end.
    const late = setTimeout(() => this.#process.kill('SIGKILL'), STOP_WITHIN_MS)
    await this.#process.exited
    clearTimeout(late)
  }
}

/** Null if the stream ends before the first line. Reads the rest as well, so that the writer never blocks. */
export function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const drain = async () => {
      let text = ''
      for await (const chunk of textOf(stream)) {
        if (text.includes('\n')) continue
        text += chunk
        if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
      }
      resolve(null)
    }
    drain().catch(reject)
  })
}

async function* textOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) yield decoder.decode(chunk, { stream: true })
}

function keepLastLines(stream: ReadableStream<Uint8Array>): () => string[] {
  let text = ''
  const drain = async () => {
    for await (const chunk of textOf(stream)) {
      text = (text + chunk).split('\n').slice(-KEPT_LINES).join('\n')
    }
  }
  drain().catch((error) => {
    text += `\n${error}`
  })
  return () => text.split('\n')
}

/** The calls of an owner, as an app makes them. */
export class OwnerClient {
  readonly #api: string
  readonly #headers: Record<string, string>

  private constructor(api: string, headers: Record<string, string>) {
    this.#api = api
    this.#headers = headers
  }

  static async connect(url: string, owner: Pick<Owner, 'apiKeyId' | 'apiKeySecret'>): Promise<OwnerClient> {
    const api = `${url}/api/rest/v1`
    const answer = await fetch(`${api}/auth/token`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Key-ID': owner.apiKeyId,
        'X-API-Key-Secret': owner.apiKeySecret,
      },
      body: JSON.stringify({ externalDeviceId: 'the owner' }),
    })
    const { data } = (await expectStatus(answer, 200)) as { data: { accessToken: string } }
    return new OwnerClient(api, { Authorization: `Bearer ${data.accessToken}` })
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  /** Returns the poll's id. */
  async createPoll(slug: string, fields: object = {}): Promise<string> {
    const json = { slug, title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' }, ...fields }
    return (await this.#create<{ id: string }>('polls', json)).id
  }

  /** Returns the campaign's id. */
  async createCampaign(polstIds: readonly string[]): Promise<string> {
    return (await this.#create<{ campaignId: string }>('campaigns', { title: 'All of them', polstIds })).campaignId
  }

  /** A new code list with so many thousands of codes. */
  async createCodes(thousands: number): Promise<{ codeListId: string; codes: string[] }> {
    const { codeListId } = await this.#create<{ codeListId: string }>('code-lists', { name: crypto.randomUUID() })
    const codes: string[] = []
    for (let i = 0; i < thousands; i++) {
      const issued = await this.#create<{ codes: string[] }>(`code-lists/${codeListId}/codes`, { count: 1_000 })
      codes.push(...issued.codes)
    }
    return { codeListId, codes }
  }

  async #create<Made>(kind: string, json: object): Promise<Made> {
    const answer = await this.write('POST', `brands/me/${kind}`, json)
    return ((await expectStatus(answer, 201)) as { data: Made }).data
  }

  write(method: 'POST' | 'PATCH' | 'DELETE', path: string, json?: object): Promise<Response> {
    return fetch(`${this.#api}/${path}`, {
      method,
      headers: {
        ...this.#headers,
        'Content-Type': 'application/json',
        'X-Service-Idempotency-Key': crypto.randomUUID(),
      },
      ...(json ? { body: JSON.stringify(json) } : {}),
    })
  }

  async read<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${this.#api}/${path}`, { headers: this.#headers })
    return ((await expectStatus(answer, 200)) as { data: Data }).data
  }
}

export async function expectStatus(answer: Response, status: number): Promise<unknown> {
  const text = await answer.text()
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
