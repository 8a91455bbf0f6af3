import { randomUUID } from 'node:crypto'
import { createHome } from '../child-service.ts'
import { eventually } from '../eventually.ts'
import { TcpProxy } from '../tcp-proxy.ts'
import type { Load } from './load.ts'
import { OwnPostgres } from './own-postgres.ts'
import { OwnS3 } from './own-s3.ts'
import { CrashTest, type RoundResult } from './rounds.ts'
import { Uploads } from './uploads.ts'

/** How long a server may need before a round gives up. The time that it took is the result. */
const GIVE_UP_MS = 60_000
const AFTERWARDS = 100
/** PostgreSQL stores votes on any number of polls in the same way, and polls are half of what a round costs the server. */
const POLLS = 8
const SPARED_MS = 60

export interface Fault {
  readonly name: string
  begin(): Promise<void>
  /** When it resolves, the neighbour works again. */
  end(): Promise<void>
  /** Requests that do not need this neighbour: none may be refused. */
  readonly spares?: readonly ('votes' | 'uploads')[]
}

export interface FaultResult extends RoundResult {
  /** From the end of the fault until `/readyz` is 200, a vote is stored, and a picture is stored. */
  readonly healthyMs: number
  /** Votes that were answered 503. */
  readonly refused: number
  /** Pictures that were acknowledged. */
  readonly uploaded: number
  /** Tickets and uploads that were answered 503. */
  readonly refusedUploads: number
}

interface Plan {
  /** Votes before the fault. */
  readonly votes: number
  readonly faultMs: number
}

/** A server whose PostgreSQL, Redis and S3 fail under votes and uploads while it keeps running. */
export class FaultTest {
  readonly faults: readonly Fault[]
  readonly #crash: CrashTest
  #stored: readonly Uint8Array[] | undefined

  private constructor(crash: CrashTest, faults: readonly Fault[]) {
    this.#crash = crash
    this.faults = faults
  }

  /** `atEnd` receives the clean-up steps. Without `redisUrl` Redis does not fail. */
  static async start(
    { programs, redisUrl }: { programs: string; redisUrl: string | null },
    atEnd: (undo: () => Promise<unknown>) => void,
  ): Promise<FaultTest> {
    const postgres = await OwnPostgres.create(programs)
    atEnd(() => postgres.remove())
    await postgres.start()
    const home = await createHome(postgres.url)
    atEnd(() => home.remove())
    if (home.database.engine !== 'postgres') throw new Error('the home of this test is a PostgreSQL')
    const toPostgres = await openProxy(home.database.url, atEnd)
    const toRedis = redisUrl === null ? null : await openProxy(redisUrl, atEnd)
    const s3 = await OwnS3.create()
    atEnd(() => s3.remove())
    await s3.start()
    const toS3 = await openProxy(s3.url, atEnd)
    const places = { DATABASE_URL: toPostgres.url, S3_URL: toS3.url }
    const settings = { ...places, ...(toRedis ? { REDIS_URL: toRedis.url } : {}) }
    const crash = await CrashTest.start(home, { settings })
    atEnd(() => crash.stop())
    const ofRedis = toRedis ? redisFaults(toRedis) : []
    return new FaultTest(crash, [...postgresFaults(postgres, toPostgres), ...ofRedis, ...s3Faults(s3, toS3)])
  }

  async round(fault: Fault, { votes, faultMs }: Plan): Promise<FaultResult> {
    let healthyMs = Number.NaN
    let refused = 0
    const learned = this.#stored ? { stored: this.#stored } : {}
    const uploads = await Uploads.start({ url: this.#crash.server.url, owner: this.#crash.owner, ...learned })
    this.#stored = uploads.stored
    const result = await this.#crash.round(async (load) => {
      await load.untilAccepted(votes)
      const before = load.refused()
      await fault.begin()
      // Real time: the length of the fault is the subject.
      await Bun.sleep(faultMs)
      await fault.end()
      const endedAt = performance.now()
      await eventually(() => this.#isHealthy(load, uploads), { withinMs: GIVE_UP_MS })
      healthyMs = performance.now() - endedAt
      await load.untilAccepted(load.accepted() + AFTERWARDS)
      await uploads.stop()
      refused = load.refused() - before
    }, loadBeside(fault))
    const { lost, otherwise } = await uploads.audit()
    result.findings.lost.push(...lost)
    result.findings.otherwise.push(...otherwise)
    const refusals = { votes: refused, uploads: uploads.refused }
    for (const kind of fault.spares ?? [])
      if (refusals[kind] > 0) result.findings.otherwise.push(`${fault.name}: ${refusals[kind]} ${kind} were refused`)
    return { ...result, healthyMs, refused, uploaded: uploads.acknowledged, refusedUploads: uploads.refused }
  }

  async #isHealthy(load: Load, uploads: Uploads): Promise<boolean> {
    const { status } = await fetch(`${this.#crash.server.url}/readyz`)
    return status === 200 && (await load.voteOnce(randomUUID())) && (await uploads.once())
  }
}

/** Votes that the fault does not touch are all answered; as fast as possible they would only take the processor from the uploads. */
const loadBeside = ({ spares }: Fault) => ({
  polls: POLLS,
  ...(spares?.includes('votes') ? { pauseMs: SPARED_MS } : {}),
})

async function openProxy(url: string, atEnd: (undo: () => Promise<unknown>) => void): Promise<TcpProxy> {
  const proxy = new TcpProxy(url)
  await proxy.open()
  atEnd(() => proxy.close())
  return proxy
}

const postgresFaults = (postgres: OwnPostgres, proxy: TcpProxy): Fault[] => [
  { name: 'PostgreSQL is restarted', begin: () => postgres.shutDown(), end: () => postgres.start() },
  { name: 'PostgreSQL is killed', begin: () => postgres.kill(), end: () => postgres.start() },
  { name: 'PostgreSQL is paused', begin: postgres.freeze, end: postgres.thaw },
  { name: 'PostgreSQL is cut off', begin: () => proxy.close(), end: () => proxy.open() },
  {
    name: 'connections to PostgreSQL die without a word',
    begin: async () => proxy.forget(),
    end: async () => undefined,
  },
]

const redisFaults = (proxy: TcpProxy): Fault[] => [
  { name: 'Redis is cut off', begin: () => proxy.close(), end: () => proxy.open(), spares: ['votes', 'uploads'] },
  {
    name: 'Redis is silent',
    begin: async () => proxy.silence(true),
    end: async () => proxy.silence(false),
    spares: ['votes', 'uploads'],
  },
]

const s3Faults = (s3: OwnS3, proxy: TcpProxy): Fault[] => [
  { name: 'S3 is killed', begin: () => s3.kill(), end: () => s3.start(), spares: ['votes'] },
  { name: 'S3 is paused', begin: s3.freeze, end: s3.thaw, spares: ['votes'] },
  { name: 'S3 is cut off', begin: () => proxy.close(), end: () => proxy.open(), spares: ['votes'] },
]
