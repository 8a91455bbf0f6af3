import { availableParallelism } from 'node:os'
import { assertFreePort } from '../../app/listen.ts'
import type { ProcessRole } from '../../app/process-role.ts'
import { PlainFailure } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { ownCommand } from '../../base/own-program.ts'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../command.ts'
import { type Greeting, printGreeting } from '../demo/seed.ts'
import { nextSignal, STOP_WITHIN_MS } from '../stop-service.ts'
import { type Report, Supervisor, type WorkerProcess } from './supervisor.ts'

type Ports = Pick<Config, 'port' | 'metricsPort'>

const HIGHEST = 65_535

/** Each worker has its own metrics: those of slot 0 at METRICS_PORT, and the others at the ports after it. */
export const metricsPortOf = ({ metricsPort }: Pick<Config, 'metricsPort'>, slot: number): number | null =>
  metricsPort === null ? null : metricsPort + slot

export function assertMetricsPorts({ port, metricsPort }: Ports, workers: number): void {
  if (metricsPort === null) return
  const last = metricsPort + workers - 1
  const ports = `${workers} workers have their metrics at the ports ${metricsPort} to ${last}`
  if (last > HIGHEST) throw new PlainFailure(`METRICS_PORT is too high: ${ports}, and ${HIGHEST} is the highest port.`)
  if (port >= metricsPort && port <= last) {
    throw new PlainFailure(`METRICS_PORT is too near to PORT ${port}: ${ports}. Set METRICS_PORT above PORT.`)
  }
}

const MOST_WORKERS = 256
/** A worker ends itself earlier, unless its event loop is blocked. The launcher kills the supervisor later. */
const KILL_AFTER_MS = STOP_WITHIN_MS + 3_000

interface WorkerOptions {
  readonly config: Config
  readonly log: Log
  readonly workers: number
  readonly role: ProcessRole
  readonly isJson: boolean
}

/** Null for one process without a supervisor. */
export function workersOf(given: string | boolean | undefined, { database }: Config): number | null {
  if (given === undefined) return null
  const isAuto = given === 'auto'
  const count = isAuto ? availableParallelism() : Number(given)
  if (!isAuto && !/^\d{1,3}$/.test(String(given))) throw wrongCount(given)
  if (count < 1 || count > MOST_WORKERS) throw wrongCount(given)
  if (database.engine === 'postgres') return count
  if (isAuto || count === 1) return null
  throw new PlainFailure(
    `--workers ${count} needs PostgreSQL: one process serves an SQLite database. Set DATABASE_URL, or leave --workers out.`,
  )
}

/** SQLite has a single process: with a role, nothing would serve requests, or nothing would run background jobs. */
export function assertRole(role: ProcessRole, { database }: Config): void {
  if (role === 'all' || database.engine === 'postgres') return
  throw new PlainFailure(
    `--role ${role} needs PostgreSQL: one process serves an SQLite database, with its background jobs. Set DATABASE_URL, or leave --role out.`,
  )
}

const wrongCount = (given: string | boolean) =>
  new UsageError(`--workers must be a number from 1 to ${MOST_WORKERS}, or auto, got "${given}".`)

/** Resolves to the exit code, after SIGTERM or SIGINT. */
export async function serveWithWorkers({ config, log, workers, role, isJson }: WorkerOptions): Promise<number> {
  await assertPorts(config, workers)
  if (workers > 1 && config.redisUrl === null) {
    log.warn(
      { workers },
      'each worker counts rate limits for itself: set REDIS_URL, so that a limit holds for all of them',
    )
  }
  const supervisor = new Supervisor({
    log,
    spawn: spawnWorker,
    count: workers,
    killAfterMs: KILL_AFTER_MS + config.drainSeconds * 1_000,
    describe: (slot) => ({ role: roleOf(slot, role), metricsPort: metricsPortOf(config, slot) }),
  })
  process.on('SIGUSR2', () => {
    supervisor.restart().catch((err) => log.error({ err }, 'the restart of the workers failed'))
  })
  const stopped = nextSignal(() => supervisor.stopAtOnce())
  // A worker that does not start rejects; told to stop meanwhile, it is no failure.
  const starting = supervisor.start()
  const started = await Promise.race([starting, stopped])
  if (typeof started !== 'string') {
    printGreeting(started as Greeting, isJson)
    log.info({ url: (started as Greeting).url, workers, pids: supervisor.pids }, 'serving')
  } else starting.catch(() => undefined)
  const signal = await stopped
  log.info({ signal, workers }, 'stopping')
  const isGood = await supervisor.stop()
  log.info('stopped')
  return isGood ? 0 : 1
}

/** With role `all`, the first worker runs the background jobs and the others only answer requests. */
const roleOf = (slot: number, role: ProcessRole): ProcessRole => (role === 'all' && slot > 0 ? 'api' : role)

async function assertPorts(config: Config, workers: number): Promise<void> {
  assertMetricsPorts(config, workers)
  const { host, port } = config
  await assertFreePort({ host, port, name: 'PORT' })
  for (let slot = 0; slot < workers; slot++) {
    const metricsPort = metricsPortOf(config, slot)
    if (metricsPort !== null) await assertFreePort({ host, port: metricsPort, name: 'METRICS_PORT' })
  }
}

const ENTRY = new URL('./worker-process.ts', import.meta.url)

/** The worker inherits our settings and our log. */
function spawnWorker(onReport: (report: Report) => void): WorkerProcess {
  const child = Bun.spawn(ownCommand(ENTRY), {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    serialization: 'json',
    ipc: (message) => onReport(message as Report),
  })
  return {
    pid: child.pid,
    send(order) {
      // A process that has ended cannot receive: `exited` reports its end.
      if (child.exitCode === null && child.signalCode === null) child.send(order)
    },
    kill: (signal) => child.kill(signal),
    exited: child.exited,
  }
}
