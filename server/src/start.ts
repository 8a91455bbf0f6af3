import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type App, createApp } from './app.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { PlainFailure, reasonOf } from './base/errors.ts'
import type { Log } from './base/log.ts'
import { Bus } from './bus/bus.ts'
import { Changes } from './bus/changes.ts'
import { type Config, localUrl } from './config.ts'
import { openDatabase } from './db/open.ts'
import { takeServeLock } from './db/sqlite/serve-lock.ts'
import type { Deps } from './deps.ts'
import { TallyAuditor } from './features/audit/tally-auditor.ts'
import type { DeliveryPolicy } from './features/deliveries/policy.ts'
import { FeedSnapshots } from './features/polls/feed/feed-snapshots.ts'
import { Popularity } from './features/polls/feed/popularity.ts'
import { takeUpAgain } from './features/polls/pictures/make-pictures.ts'
import { PollKeys } from './features/polls/snapshots/poll-keys.ts'
import { PollSnapshots } from './features/polls/snapshots/poll-snapshots.ts'
import { StreamWatchdog } from './features/polls/streams/stream-watchdog.ts'
import { TallyStreams } from './features/polls/streams/tally-streams.ts'
import { Ledger } from './features/votes/ledger.ts'
import { VoteEvents } from './features/votes/vote-events.ts'
import type { Limiter } from './http/limiter.ts'
import { MemoryLimiter } from './http/memory-limiter.ts'
import { RedisLimiter } from './http/redis-limiter.ts'
import type { Route } from './http/route.ts'
import type { Measured } from './metrics.ts'
import { type MetricsServer, serveMetrics } from './metrics-server.ts'
import { allRoutes } from './routes.ts'
import { createDiskStore } from './storage/disk.ts'
import { openS3 } from './storage/open-s3.ts'
import { Decoding } from './storage/pictures/decoding.ts'
import { openUnfinished } from './storage/unfinished.ts'
import { startWorker } from './worker.ts'

const STOP_WITHIN_MS = 10_000

export interface Service {
  readonly url: string
  /** Null where METRICS_PORT is not set. */
  readonly metricsUrl: string | null
  readonly deps: Deps
  readonly ledger: Ledger
  readonly streams: TallyStreams
  readonly routes: readonly Route[]
  readonly migrated: readonly string[]
  /** Refuses what is new, finishes what is in flight, closes everything. */
  stop(): Promise<void>
}

interface Surroundings {
  readonly log: Log
  readonly clock?: Clock
  /** Another than everybody's, for tests. */
  readonly deliveryPolicy?: DeliveryPolicy
}

type Undo = () => void | Promise<void>

/** The composition root. What is opened is closed in the opposite order, also when a later step fails. */
export async function startService(config: Config, surroundings: Surroundings): Promise<Service> {
  const undo: Undo[] = []
  try {
    return await compose(config, surroundings, undo)
  } catch (error) {
    await runBackwards(undo)
    throw error
  }
}

async function compose(
  config: Config,
  { log, clock = systemClock, deliveryPolicy }: Surroundings,
  undo: Undo[],
): Promise<Service> {
  const { dataDir } = config
  undo.push(() => log.flush())
  if (!config.databaseUrl) undo.push(within(dataDir, () => takeServeLock(dataDir)))
  const isShared = config.databaseUrl !== null
  const uploads = within(dataDir, () => openUnfinished(join(dataDir, 'uploads'), { isShared }))
  const files = config.s3
    ? await openS3(config.s3, uploads)
    : within(dataDir, () => createDiskStore(join(dataDir, 'files'), { isShared }))
  const { engine, keys, migrated } = await openDatabase(config, (error) =>
    log.warn({ err: error }, 'a database connection was lost'),
  )
  undo.push(() => engine.close())
  const { limiter, close } = await openLimiter(config, log)
  undo.push(close)
  const changes = new Changes(engine)
  undo.push(() => changes.close())
  const bus = new Bus({ engine, clock, changes })
  // The ledger is made below; nobody asks before the first picture.
  const decoding = new Decoding({ isPressed: () => ledger.isPressed })
  const deps: Deps = { config, clock, log, engine, keys, limiter, files, decoding, uploads, bus, changes }

  if (!isShared) await takeUpAgain(engine, clock.now())
  const popularity = new Popularity(engine)
  const auditor = new TallyAuditor(deps)
  const streams = new TallyStreams(deps)
  const watchdog = new StreamWatchdog(deps, streams)
  const snapshots = new PollSnapshots(deps, (pollKey) => streams.reread(pollKey))
  changes.subscribe({
    pollChanged: (pollKey, brandKey) => snapshots.drop(pollKey, brandKey),
    brandChanged: (brandKey) => snapshots.dropBrand(brandKey),
    votesCounted(counted) {
      snapshots.count(counted)
      streams.count(counted)
    },
  })
  changes.listen()
  const voteEvents = new VoteEvents(deps)
  const ledger = new Ledger({
    engine,
    log,
    prepareEvents: (pollKeys) => voteEvents.prepare(pollKeys),
    onCommitted({ counted, raised }) {
      changes.votes(counted)
      popularity.noteVotes(counted.keys())
      auditor.noteVotes(counted.keys())
      if (raised) bus.wake()
    },
    onUncertain: (pollKeys) => changes.uncertain(pollKeys),
  })
  undo.push(() => ledger.drain())
  const worker = startWorker(deps, { popularity, auditor, watchdog, ledger, deliveryPolicy })
  undo.push(() => worker.stop())
  const routes = allRoutes(deps, {
    ledger,
    snapshots,
    streams,
    feeds: new FeedSnapshots(deps, snapshots),
    pollKeys: new PollKeys(engine.db),
  })
  const app = createApp(deps, routes)
  const server = await listen(config, app.fetch)
  undo.push(() => {
    // First of all: a stream never ends by itself, and the server waits for what is open.
    streams.close()
    return stopServer(server, app.drain)
  })
  const metrics = openMetrics(config, { app, auditor, ledger, streams, watchdog })
  undo.push(() => metrics?.stop())

  return {
    url: localUrl(config.host, server.port ?? config.port),
    metricsUrl: metrics?.url ?? null,
    deps,
    ledger,
    streams,
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
      fetch: (request, server) =>
        fetch(
          request,
          () => server.requestIP(request)?.address ?? '',
          () => server.timeout(request, 0),
        ),
    })
  } catch (error) {
    throw notListening(error, { host, port, name: 'PORT' })
  }
}

function openMetrics({ host, metricsPort: port }: Config, measured: Measured): MetricsServer | null {
  if (port === null) return null
  try {
    return serveMetrics({ hostname: host, port }, measured)
  } catch (error) {
    throw notListening(error, { host, port, name: 'METRICS_PORT' })
  }
}

function notListening(error: unknown, { host, port, name }: { host: string; port: number; name: string }) {
  const cause = { cause: error }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EADDRINUSE') return new PlainFailure(`${name} ${port} on ${host} is already in use.`, cause)
  return new PlainFailure(`HOST ${host} and ${name} ${port} cannot be listened on: ${code || reasonOf(error)}.`, cause)
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
