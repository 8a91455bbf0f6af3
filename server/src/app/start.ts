// app: one server: its routes, its requests, its jobs and its metrics, started in order and stopped in reverse.

import { join } from 'node:path'
import { type Clock, systemClock } from '../base/clock.ts'
import { inDataDir, PlainFailure } from '../base/errors.ts'
import { Isolation } from '../base/isolation/isolated-work.ts'
import type { Log } from '../base/log.ts'
import { ADVISED_OPEN_FILES, isLowLimit, openFileLimit } from '../base/machine.ts'
import { type Config, isLocalUrl, localUrl } from '../config/config.ts'
import { assertNoUnfinishedRestore, openDatabase } from '../db/open.ts'
import { openSecret } from '../db/secret-file.ts'
import { keepAddress, serviceRow } from '../db/service-row.ts'
import { SharedClock } from '../db/shared-clock.ts'
import { takeServeLock } from '../db/sqlite/serve-lock.ts'
import type { Engine } from '../db/store.ts'
import { Bus } from '../events/bus.ts'
import { Changes } from '../events/changes.ts'
import { IntegrityWatch } from '../features/analytics/integrity/integrity-watch.ts'
import { ViewCounts } from '../features/analytics/sources/view-counts.ts'
import { PublicCampaigns } from '../features/campaigns/public-campaigns.ts'
import type { Deps } from '../features/deps.ts'
import { FINDINGS } from '../features/operator/findings.ts'
import { brandAt } from '../features/pages/errors/error-page.ts'
import { KeptPages } from '../features/pages/kept-pages.ts'
import { Mailer } from '../features/people/mail/mailer.ts'
import { takeUpAgain } from '../features/polls/make-pictures.ts'
import { Popularity } from '../features/polls/popularity.ts'
import { FeedSnapshots } from '../features/polls/snapshots/feed-snapshots.ts'
import { PollKeys } from '../features/polls/snapshots/poll-keys.ts'
import { PollSnapshots } from '../features/polls/snapshots/poll-snapshots.ts'
import { TallyStreams } from '../features/polls/streams/tally-streams.ts'
import { Ledger } from '../features/votes/ledger.ts'
import { TallyAuditor } from '../features/votes/tally-auditor.ts'
import { VoteEvents } from '../features/votes/vote-events.ts'
import { DeliveryBacklog } from '../features/webhooks/sending/queue.ts'
import type { DeliveryPolicy } from '../features/webhooks/sending/record-outcomes.ts'
import { createDiskStore } from '../files/disk.ts'
import { openUnfinished } from '../files/file-store.ts'
import { Decoding } from '../files/pictures/decoding.ts'
import { openS3 } from '../files/s3.ts'
import { openLimiter } from '../http/limits/redis-limiter.ts'
import { ProxyWatch } from '../http/network.ts'
import type { Route } from '../http/route.ts'
import { type App, createHttpApp } from './app.ts'
import { listen, stopServer } from './listen.ts'
import { type Measured, openMetrics } from './metrics.ts'
import type { ProcessRole } from './process-role.ts'
import { allRoutes } from './routes.ts'
import { type JobMode, startWorker } from './worker.ts'

export interface Service {
  readonly url: string
  /** Null if METRICS_PORT is not set. */
  readonly metricsUrl: string | null
  readonly deps: Deps
  readonly ledger: Ledger
  readonly streams: TallyStreams
  readonly routes: readonly Route[]
  readonly migrated: readonly string[]
  /** Answers a request without a socket, for tests. */
  readonly fetch: App['fetch']
  /** Runs the jobs and deliveries that are due by the clock; for tests that start the service with `jobs: 'by hand'`. */
  runDue(): Promise<void>
  /** Makes `/readyz` answer 503, while everything else is served. */
  announceStop(): void
  /** Takes no new connections, and answers open requests; then `stop`. For a process whose port others serve, too. */
  closePort(): void
  /** Refuses new requests, finishes those in flight, and closes everything. */
  stop(): Promise<void>
  /** The names of parts that `stop` has not closed yet, in the order of closing. */
  readonly stillOpen: readonly string[]
}

interface Surroundings {
  readonly log: Log
  /** Replaces the clock of the machine and of the database, for tests. */
  readonly clock?: Clock
  /** Replaces the default policy, for tests. */
  readonly deliveryPolicy?: DeliveryPolicy
  /** 'by hand' for tests that run the jobs with `runDue`. */
  readonly jobs?: JobMode
  readonly role?: ProcessRole
  /** Other processes of this server listen on the same ports. */
  readonly sharesPorts?: boolean
  /** Disturbs the database, for simulations. */
  readonly disturb?: (engine: Engine) => Engine
}

interface Undo {
  /** For the log, where it does not come to an end. */
  readonly name: string
  readonly run: () => void | Promise<void>
}

/** The composition root. Closes everything in reverse order, also when a later step of the start fails. */
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
  {
    log,
    clock: given,
    deliveryPolicy,
    jobs = 'by time',
    role = 'all',
    sharesPorts = false,
    disturb = (engine) => engine,
  }: Surroundings,
  undo: Undo[],
): Promise<Service> {
  const { dataDir } = config
  undo.push({ name: 'log', run: () => log.flush() })
  warnOfLowLimit(config, log)
  const isShared = config.database.engine === 'postgres'
  if (!isShared) undo.push({ name: 'lock', run: inDataDir(dataDir, () => takeServeLock(dataDir)) })
  // Checked with PostgreSQL too: pictures may be missing.
  assertNoUnfinishedRestore(dataDir)
  refuseOpenSecret(config, log)
  const uploads = inDataDir(dataDir, () => openUnfinished(join(dataDir, 'uploads'), { isShared }))
  const files = config.s3
    ? await openS3(config.s3, uploads)
    : inDataDir(dataDir, () => createDiskStore(join(dataDir, 'files'), { isShared }))
  const { engine: opened, keys, migrated, copy } = await openDatabase(config, tellOfDatabase(log))
  if (copy) log.warn({ copy, migrated }, `the database was upgraded; a copy from before is in DATA_DIR/${copy}`)
  const engine = disturb(opened)
  undo.push({ name: 'database', run: () => engine.close() })
  // Opens the connection of the votes before requests and jobs take what PostgreSQL has room for.
  if (isShared && role !== 'worker')
    await engine.votes.probe().catch((err) => log.warn({ err }, 'no vote can be stored at the start'))
  const sharedClock = isShared && !given ? new SharedClock(engine, log) : null
  await sharedClock?.start()
  undo.push({ name: 'clock', run: () => sharedClock?.stop() })
  const clock = given ?? sharedClock ?? systemClock
  const { limiter, close } = await openLimiter(config, log)
  undo.push({ name: 'limiter', run: close })
  const { instance } = await serviceRow(engine)
  const changes = new Changes(engine)
  undo.push({ name: 'changes', run: () => changes.close() })
  const bus = new Bus({ engine, clock, changes })
  const voteEvents = new VoteEvents({ engine, bus, keys })
  const popularity = new Popularity(engine)
  const ledger = new Ledger({
    engine,
    log,
    prepareEvents: (pollKeys) => voteEvents.prepare(pollKeys),
    onCommitted({ counted, raised }) {
      changes.votes(counted)
      popularity.noteVotes(counted.keys())
      if (raised) bus.wake()
    },
    onUncertain: (pollKeys) => changes.uncertain(pollKeys),
  })
  const isolation = new Isolation(log)
  undo.push({ name: 'child processes', run: () => isolation.close() })
  const decoding = new Decoding(isolation, { isPressed: () => ledger.isPressed })
  const proxyWatch = new ProxyWatch(log, config.trustedProxies)
  const outside = { files, isolation, decoding, uploads }
  const deps: Deps = { config, clock, log, engine, keys, limiter, proxyWatch, ...outside, bus, changes }

  if (!isShared) await takeUpAgain(engine, clock.now())
  const auditor = new TallyAuditor(deps)
  const snapshots = new PollSnapshots(deps)
  const streams = new TallyStreams(deps, snapshots)
  changes.subscribe({
    pollChanged: (pollKey, brandKey) => snapshots.drop(pollKey, brandKey),
    brandChanged: (brandKey) => snapshots.dropBrand(brandKey),
    votesCounted: (counted) => snapshots.count(counted),
  })
  changes.listen()
  const watch = new IntegrityWatch(deps)
  undo.push({
    name: 'integrity',
    // Numbers for a report: a database that cannot take them must not keep the server from stopping.
    run: () => watch.store().catch((err) => log.warn({ err }, 'the last numbers of integrity reports were not stored')),
  })
  const views = new ViewCounts(deps)
  undo.push({
    name: 'views',
    run: () => views.store().catch((err) => log.warn({ err }, 'the last views were not stored')),
  })
  undo.push({ name: 'votes', run: () => ledger.drain() })
  const backlog = new DeliveryBacklog(engine.db)
  const mailer = new Mailer(config, log)
  const known = { popularity, auditor, ledger, watch, views, backlog, mailer }
  const worker = startWorker(deps, { ...known, deliveryPolicy, mode: jobs, role })
  undo.push({ name: 'jobs and deliveries', run: () => worker.stop() })
  const feeds = new FeedSnapshots(deps, snapshots)
  const campaigns = new PublicCampaigns(deps, snapshots)
  const pages = new KeptPages()
  const pollKeys = new PollKeys(engine.db)
  undo.push({ name: 'mails', run: () => mailer.close() })
  const shown = { popularity, snapshots, streams, feeds, campaigns, pages, pollKeys }
  const routes = allRoutes(deps, {
    ...shown,
    instance,
    mailer,
    ledger,
    watch,
    views,
    service: { auditor, backlog, ...worker },
  })
  const app = createHttpApp(deps, role === 'worker' ? routes.filter(isForProbes) : routes, brandAt(shown))
  const server = await listen(config, { fetch: app.fetch, sharesPort: sharesPorts })
  undo.push({
    name: 'requests',
    run() {
      // The streams first: a stream never ends by itself, and the server waits for open responses.
      streams.close()
      return stopServer(server, app.drain)
    },
  })
  const url = localUrl(config.host, server.port ?? config.port)
  if (role !== 'worker') await storeAddress({ engine, config, log }, url)
  const { backups } = worker
  const caches = { polls: snapshots, feeds, pages }
  const measured: Measured = { engine, app, auditor, backlog, backups, caches, ledger, proxyWatch, streams }
  const metrics = openMetrics(config, measured, sharesPorts)
  undo.push({ name: 'metrics', run: () => metrics?.stop() })
  // The other processes of one server need not repeat it.
  if (role !== 'api') tellOfSignIn(config, log)

  return {
    url,
    metricsUrl: metrics?.url ?? null,
    deps,
    ledger,
    streams,
    routes,
    migrated,
    fetch: app.fetch,
    runDue: () => worker.runDue(),
    announceStop: app.announceStop,
    closePort: () => void server.stop(),
    stop: () => runBackwards(undo),
    get stillOpen() {
      return undo.map(({ name }) => name).reverse()
    },
  }
}

/** A process with background jobs alone answers only whether it is alive and ready. */
const isForProbes = ({ spec }: Route): boolean => spec.name === 'isAlive' || spec.name === 'isReady'

async function runBackwards(undo: Undo[]): Promise<void> {
  for (let step = undo.at(-1); step; step = undo.at(-1)) {
    // Taken off when it is done, but also when it fails.
    try {
      await step.run()
    } finally {
      undo.splice(undo.indexOf(step), 1)
    }
  }
}

function warnOfLowLimit({ streams }: Config, log: Log): void {
  const limit = openFileLimit()
  if (limit === null || !isLowLimit(limit, streams)) return
  log.warn(
    { limit, streams },
    `at most ${limit} files and connections can be open, and STREAMS is ${streams}. Raise the limit: \`ulimit -n ${ADVISED_OPEN_FILES}\`, or \`LimitNOFILE=${ADVISED_OPEN_FILES}\` in the unit of systemd.`,
  )
}

/** Tells the operator what people who sign in will run into. */
function tellOfSignIn(config: Config, log: Log): void {
  if (FINDINGS.not_encrypted.isFound(config)) {
    log.warn('PUBLIC_URL is not encrypted: others on the way can read links, cookies and tokens. Set it to https://…')
  }
  if (config.smtpUrl === null) {
    log.info('no sign-in links are mailed without SMTP_URL: `tossup member link --email` prints one')
  }
}

/** For a trial on this machine the log has a line instead. */
function refuseOpenSecret({ database, secretKeys, publicUrl }: Config, log: Log): void {
  const found = database.engine === 'sqlite' && secretKeys.length === 0 ? openSecret(database.dataDir) : null
  if (!found) return
  const said = `Other users of this machine can read ${found.path} (mode ${found.mode}). Run \`tossup doctor --fix\` or \`chmod 600 ${found.path}\`; where files have no modes, set SECRET_KEY instead.`
  if (!isLocalUrl(publicUrl)) throw new PlainFailure(said)
  log.warn(said)
}

/** For commands that run without PUBLIC_URL. A full disk must not stop a start. */
async function storeAddress({ engine, config, log }: Pick<Deps, 'engine' | 'config' | 'log'>, url: string) {
  const storing = keepAddress(engine, config.hasPublicUrl ? config.publicUrl : url)
  await storing.catch((err) => log.warn({ err }, 'the address of the server was not stored: commands need PUBLIC_URL'))
}

const DAMAGED =
  'the database is damaged: nothing is written any more. Stop the server, keep the files, and put a backup in their place.'

/** Logs the events of the database of a server. */
const tellOfDatabase = (log: Log) => ({
  onLostConnection: (err: Error) => log.warn({ err }, 'a database connection was lost'),
  onDamaged: (err: Error) => log.fatal({ err }, DAMAGED),
})
