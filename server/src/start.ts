import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type App, createApp } from './app.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { PlainFailure, reasonOf } from './base/errors.ts'
import type { Log } from './base/log.ts'
import { type Config, localUrl } from './config.ts'
import { openDatabase } from './db/open.ts'
import { takeServeLock } from './db/serve-lock.ts'
import type { Deps } from './deps.ts'
import { PollKeys } from './features/polls/poll-keys.ts'
import { PollSnapshots } from './features/polls/poll-snapshots.ts'
import { Ledger } from './features/votes/ledger.ts'
import { Popularity } from './features/votes/popularity.ts'
import type { Limiter } from './http/limiter.ts'
import { MemoryLimiter } from './http/memory-limiter.ts'
import { RedisLimiter } from './http/redis-limiter.ts'
import type { Route } from './http/route.ts'
import { allRoutes } from './routes.ts'
import { createDiskStore } from './storage/disk.ts'
import { startWorker } from './worker.ts'

const STOP_WITHIN_MS = 10_000

export interface Service {
  readonly url: string
  readonly deps: Deps
  readonly ledger: Ledger
  readonly routes: readonly Route[]
  readonly migrated: readonly string[]
  /** Refuses what is new, finishes what is in flight, closes everything. */
  stop(): Promise<void>
}

interface Surroundings {
  readonly log: Log
  readonly clock?: Clock
}

type Undo = () => void | Promise<void>

/** The composition root. What is opened is closed in the opposite order, also when a later step fails. */
export async function startService(config: Config, { log, clock = systemClock }: Surroundings): Promise<Service> {
  const undo: Undo[] = []
  try {
    return await compose(config, { log, clock, undo })
  } catch (error) {
    await runBackwards(undo)
    throw error
  }
}

async function compose(
  config: Config,
  { log, clock, undo }: { log: Log; clock: Clock; undo: Undo[] },
): Promise<Service> {
  const { dataDir } = config
  if (!config.databaseUrl) undo.push(within(dataDir, () => takeServeLock(dataDir)))
  const files = within(dataDir, () => createDiskStore(join(dataDir, 'files')))
  const { engine, keys, migrated } = await openDatabase(config, (error) =>
    log.warn({ err: error }, 'a database connection was lost'),
  )
  undo.push(() => engine.close())
  const { limiter, close } = await openLimiter(config, log)
  undo.push(close)
  const deps: Deps = { config, clock, log, engine, keys, limiter, files }

  const popularity = new Popularity(engine)
  const snapshots = new PollSnapshots(deps)
  const ledger = new Ledger({
    engine,
    log,
    onCommitted(counted) {
      snapshots.count(counted)
      popularity.noteVotes(counted.keys())
    },
    onUncertain(pollKeys) {
      for (const pollKey of pollKeys) snapshots.drop(pollKey)
    },
  })
  undo.push(() => ledger.drain())
  const worker = startWorker(deps, popularity)
  undo.push(() => worker.stop())
  const routes = allRoutes(deps, { ledger, snapshots, pollKeys: new PollKeys(engine.db) })
  const app = createApp(deps, routes)
  const server = await listen(config, app.fetch)
  undo.push(() => stopServer(server, app.drain))

  return {
    url: localUrl(config.host, server.port ?? config.port),
    deps,
    ledger,
    routes,
    migrated,
    stop: () => runBackwards(undo),
  }
}

async function runBackwards(undo: Undo[]): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
}

function within<T>(dataDir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    throw new PlainFailure(`DATA_DIR ${dataDir} cannot be used: ${reasonOf(error)}.`, { cause: error })
  }
}

async function openLimiter({ redisUrl }: Config, log: Log): Promise<{ limiter: Limiter; close: Undo }> {
  const memory = new MemoryLimiter()
  if (!redisUrl) return { limiter: memory, close: () => undefined }
  const redis = new RedisLimiter({ url: redisUrl, log, fallback: memory })
  try {
    await redis.connect()
  } catch (error) {
    redis.close()
    throw new PlainFailure(`REDIS_URL cannot be used: ${reasonOf(error)}.`, { cause: error })
  }
  return { limiter: redis, close: redis.close }
}

type Server = ReturnType<typeof Bun.serve>

async function listen({ host, port }: Config, fetch: App['fetch']): Promise<Server> {
  // Asked first, because Bun calls a name that does not exist an address in use.
  await lookup(host).catch((error) => {
    throw new PlainFailure(`HOST ${host} cannot be listened on: ${reasonOf(error)}.`, { cause: error })
  })
  try {
    return Bun.serve({
      hostname: host,
      port,
      // The door refuses what is too large, in our own words; until a body is read, its sender is held up.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: 30,
      // Otherwise a second server would share the port without a word, and each take some of the votes.
      reusePort: false,
      development: false,
      fetch: (request, server) => fetch(request, () => server.requestIP(request)?.address ?? ''),
    })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'EADDRINUSE') throw new PlainFailure(`PORT ${port} on ${host} is already in use.`, { cause: error })
    throw new PlainFailure(`HOST ${host} and PORT ${port} cannot be listened on: ${code || reasonOf(error)}.`, {
      cause: error,
    })
  }
}

/** Listens until what is in flight is answered, so that whoever comes meanwhile is told 503 and to come back. */
async function stopServer(server: Server, drain: () => Promise<void>): Promise<void> {
  // A timer that holds the process would outlast what it waits for.
  const isLate = pause(STOP_WITHIN_MS, false, { ref: false })
  const stopped = drain()
    .then(() => server.stop())
    .then(() => true)
  const isDone = await Promise.race([stopped, isLate])
  if (!isDone) await server.stop(true)
}
