import { createLog, logDestination } from '../base/log.ts'
import { misspelledSettings, readConfig } from '../config.ts'
import type { Command } from './command.ts'
import { stopService } from './stop-service.ts'

const STANDARD_ERROR = 2

export const serveCommand: Command = {
  words: 'serve',
  usage: '',
  summary: 'Run the server until SIGTERM or SIGINT',
  async run({ values }) {
    const config = readConfig()
    // Standard output is for results. The log goes to standard error, and synchronously, so that its last lines are not lost.
    const log = createLog(config.logLevel, logDestination(STANDARD_ERROR))
    const misspelled = misspelledSettings()
    const questions = misspelled.map(({ given, meant }) => `${given} is not a setting. Did you mean ${meant}?`)
    if (questions.length > 0) log.warn({ misspelled }, questions.join(' '))
    const stopped = nextSignal()
    // Loaded only here: without the server, the other commands start in a third of the time.
    const { startService } = await import('../start.ts')
    const { describeDemo, describeEarlierDemo, describeOwnerLink, seedDemo } = await import('./demo/seed.ts')
    const service = await Promise.race([startService(config, { log }), stopped])
    // Stopped while still waiting for a lock or a database: nothing is open yet that would have to be closed.
    if (typeof service === 'string') process.exit(0)
    const demo = config.isDemo ? await seedDemo(service) : null
    if (values['json'] === true) console.log(JSON.stringify({ url: service.url, ...(demo ? { demo } : {}) }))
    else {
      const { url, deps } = service
      const later = config.isDemo ? await describeEarlierDemo(url, deps) : []
      const link = config.isDemo ? await describeOwnerLink(service) : []
      console.log([`Tossup is running at ${url}`, ...(demo ? describeDemo(url, demo) : later), ...link].join('\n'))
    }
    log.info({ url: service.url, migrated: service.migrated }, 'serving')
    const signal = await stopped
    log.info({ signal }, 'stopping')
    await stopService(service, { log, exit: (code) => process.exit(code) })
    log.info('stopped')
    return null
  },
}

/** The first signal starts a graceful stop; a second one ends the process at once. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve(signal)
      })
    }
  })
}
