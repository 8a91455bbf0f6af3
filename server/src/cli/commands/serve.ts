// cli/commands: a file for each command of `tossup`, or for each group such as `tossup app`.
import { PROCESS_ROLES, type ProcessRole } from '../../app/process-role.ts'
import { createLog, logDestination } from '../../base/log.ts'
import { misspelledSettings, readConfig } from '../../config/config.ts'
import type { Command } from '../command.ts'
import { drainThenStop, nextSignal } from '../stop-service.ts'

const STANDARD_ERROR = 2

export const serveCommand: Command = {
  words: 'serve',
  usage: '[--workers N|auto] [--role api|worker|all]',
  summary: 'Run the server until SIGTERM or SIGINT',
  options: {
    workers: {
      type: 'string',
      about: 'With PostgreSQL: this many processes on one port, or one for each core. SIGUSR2 restarts them in turn',
    },
    role: {
      type: 'string',
      about: 'Answer requests (api), run background jobs (worker), or both, the default',
      values: PROCESS_ROLES,
    },
  },
  async run({ values }) {
    const config = readConfig()
    // Standard output is for results. The log is written synchronously, so that its last lines are not lost.
    const log = createLog(config.logLevel, logDestination(STANDARD_ERROR))
    const misspelled = misspelledSettings()
    const questions = misspelled.map(({ given, meant }) => `${given} is not a setting. Did you mean ${meant}?`)
    if (questions.length > 0) log.warn({ misspelled }, questions.join(' '))
    const isJson = values['json'] === true
    const role = (values['role'] ?? 'all') as ProcessRole
    // Loaded only here: without the server, the other commands start in a third of the time.
    const { assertRole, workersOf, serveWithWorkers } = await import('../workers/serve-with-workers.ts')
    assertRole(role, config)
    const workers = workersOf(values['workers'], config)
    if (workers !== null) process.exit(await serveWithWorkers({ config, log, workers, role, isJson }))
    const stopped = nextSignal()
    process.on('SIGUSR2', () => log.warn('SIGUSR2 restarts workers: without --workers there are none'))
    const { startService } = await import('../../app/start.ts')
    const { greet, printGreeting } = await import('../demo/seed.ts')
    const service = await Promise.race([startService(config, { log, role }), stopped])
    // Stopped while still waiting for a lock or a database: nothing is open yet that would have to be closed.
    if (typeof service === 'string') process.exit(0)
    printGreeting(await greet(service), isJson)
    log.info({ url: service.url, migrated: service.migrated }, 'serving')
    const signal = await stopped
    log.info({ signal }, 'stopping')
    await drainThenStop(service, { log, drainSeconds: config.drainSeconds, exit: (code) => process.exit(code) })
    log.info('stopped')
    return null
  },
}
