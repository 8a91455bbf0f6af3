import pino from 'pino'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config.ts'
import type { Command } from './command.ts'

const STANDARD_ERROR = 2

export const serveCommand: Command = {
  words: 'serve',
  usage: '',
  summary: 'Run the service until it is told to stop',
  async run({ values }) {
    const config = readConfig()
    // Standard output is for what was asked for; the log goes beside it, and never loses its last lines.
    const log = createLog(config.logLevel, pino.destination({ dest: STANDARD_ERROR, sync: true }))
    const stopped = nextSignal()
    // Loaded only here: the other commands start in a third of the time without the server.
    const { startService } = await import('../start.ts')
    const { describeDemo, describeEarlierDemo, seedDemo } = await import('./demo/seed.ts')
    const service = await Promise.race([startService(config, { log }), stopped])
    // Told to stop while still waiting, for a lock or a database: nothing is open that would have to be closed.
    if (typeof service === 'string') process.exit(0)
    const demo = config.isDemo ? await seedDemo(service) : null
    if (values['json'] === true) console.log(JSON.stringify({ url: service.url, ...(demo ? { demo } : {}) }))
    else {
      const { url, deps } = service
      const later = config.isDemo ? await describeEarlierDemo(url, deps) : []
      console.log([`Tossup is running at ${url}`, ...(demo ? describeDemo(url, demo) : later)].join('\n'))
    }
    log.info({ url: service.url, migrated: service.migrated }, 'serving')
    const signal = await stopped
    log.info({ signal }, 'stopping')
    await service.stop()
    log.info('stopped')
    return null
  },
}

/** The first signal stops gently; a second one ends the process at once. */
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
