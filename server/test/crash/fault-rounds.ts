import { randomUUID } from 'node:crypto'
import { createHome } from '../child-service.ts'
import { eventually } from '../eventually.ts'
import { TcpProxy } from '../tcp-proxy.ts'
import { OwnPostgres } from './own-postgres.ts'
import { CrashTest, type RoundResult } from './rounds.ts'

/** How long a server may need before a round gives up. What it did need is the result. */
const GIVE_UP_MS = 60_000
const AFTERWARDS = 100

export interface Fault {
  readonly name: string
  begin(): Promise<void>
  /** When it resolves, the neighbour works again. */
  end(): Promise<void>
  /** Votes do not need this neighbour: none may be refused. */
  readonly isHarmless?: true
}

export interface FaultResult extends RoundResult {
  /** From the end of the fault until `/readyz` is 200 and a vote is stored. */
  readonly healthyMs: number
  /** Votes that were answered 503. */
  readonly refused: number
}

interface Plan {
  /** Votes before the fault. */
  readonly votes: number
  readonly faultMs: number
}

/** A server whose PostgreSQL and Redis fail under load, while it goes on. */
export class FaultTest {
  readonly faults: readonly Fault[]
  readonly #crash: CrashTest

  private constructor(crash: CrashTest, faults: readonly Fault[]) {
    this.#crash = crash
    this.faults = faults
  }

  /** `atEnd` gets what has to be undone. Without `redisUrl` only PostgreSQL fails. */
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
    const settings = { DATABASE_URL: toPostgres.url, ...(toRedis ? { REDIS_URL: toRedis.url } : {}) }
    const crash = await CrashTest.start(home, { settings })
    atEnd(() => crash.stop())
    return new FaultTest(crash, [...faultsOf(postgres, toPostgres), ...(toRedis ? redisFaults(toRedis) : [])])
  }

  async round(fault: Fault, { votes, faultMs }: Plan): Promise<FaultResult> {
    let healthyMs = Number.NaN
    let refused = 0
    const result = await this.#crash.round(async (load) => {
      await load.untilAccepted(votes)
      const before = load.refused()
      await fault.begin()
      // Real time: the length of the fault is the subject.
      await Bun.sleep(faultMs)
      await fault.end()
      const endedAt = performance.now()
      await eventually(() => this.#isHealthy(load), { withinMs: GIVE_UP_MS })
      healthyMs = performance.now() - endedAt
      await load.untilAccepted(load.accepted() + AFTERWARDS)
      refused = load.refused() - before
    })
    if (fault.isHarmless && refused > 0) result.findings.otherwise.push(`${fault.name}: ${refused} votes were refused`)
    return { ...result, healthyMs, refused }
  }

  async #isHealthy(load: { voteOnce(device: string): Promise<boolean> }): Promise<boolean> {
    const { status } = await fetch(`${this.#crash.server.url}/readyz`)
    return status === 200 && (await load.voteOnce(randomUUID()))
  }
}

async function openProxy(url: string, atEnd: (undo: () => Promise<unknown>) => void): Promise<TcpProxy> {
  const proxy = new TcpProxy(url)
  await proxy.open()
  atEnd(() => proxy.close())
  return proxy
}

const faultsOf = (postgres: OwnPostgres, proxy: TcpProxy): Fault[] => [
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
  { name: 'Redis is cut off', begin: () => proxy.close(), end: () => proxy.open(), isHarmless: true },
  {
    name: 'Redis is silent',
    begin: async () => proxy.silence(true),
    end: async () => proxy.silence(false),
    isHarmless: true,
  },
]
