// The entry of one of several processes of a server. Its supervisor tells it over a channel how to start.

import { type Service, startService } from '../../app/start.ts'
import { PlainFailure } from '../../base/errors.ts'
import { createLog, logDestination } from '../../base/log.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { greet } from '../demo/seed.ts'
import { drainThenStop } from '../stop-service.ts'
import type { Order, Report, WorkerStart } from './supervisor.ts'

const STANDARD_ERROR = 2

const config = readConfig()
let log = createLog(config.logLevel, logDestination(STANDARD_ERROR))
let service: Service | null = null
let isEnding = false

/** Ignored: a terminal sends SIGINT to all its processes, but only the supervisor stops this one. */
process.on('SIGINT', () => undefined)
process.on('SIGUSR2', () => undefined)
process.on('SIGTERM', () => (isToldToStop ? process.exit(1) : stop('SIGTERM')))
// The supervisor was killed: without it, nobody would start this process again.
process.on('disconnect', () => stop('the supervisor is gone'))
process.on('message', (order: Order) => void (order.kind === 'start' ? start(order.how) : leave()))

let isToldToStop = false

function stop(signal: string): void {
  isToldToStop = true
  if (isEnding) return
  log.info({ signal }, 'stopping')
  // Nothing to close yet.
  if (!service) process.exit(0)
  void end(service, config.drainSeconds)
}

async function start(how: WorkerStart): Promise<void> {
  const { slot, port, metricsPort, role } = how
  log = log.child({ worker: slot })
  try {
    const own: Config = { ...config, port: port ?? config.port, metricsPort }
    const started = await startService(own, { log, role, sharesPorts: true })
    service = started
    const greeting = how.greets ? await greet(started) : null
    log.info({ url: started.url, migrated: started.migrated, role, pid: process.pid }, 'serving')
    report({ kind: 'listening', port: Number(new URL(started.url).port), greeting })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!(error instanceof PlainFailure)) log.error({ err: error }, 'a worker did not start')
    report({ kind: 'failed', message, isPlain: error instanceof PlainFailure })
    await service?.stop()
    process.exit(1)
  }
}

function leave(): void {
  if (isEnding || !service) return
  log.info('leaving the port to the other workers')
  service.closePort()
  void end(service, 0)
}

async function end(ending: Service, drainSeconds: number): Promise<void> {
  isEnding = true
  await drainThenStop(ending, { log, drainSeconds, exit: (code) => process.exit(code) })
  log.info('stopped')
  process.exit(0)
}

/** Without a channel there is no supervisor to tell. */
const report = (said: Report): void => {
  if (process.connected) process.send?.(said)
}
