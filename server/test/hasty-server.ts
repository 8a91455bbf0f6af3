import pino from 'pino'
import { startService } from '../src/app/start.ts'
import { createLog } from '../src/base/log.ts'
import { readConfig } from '../src/config/config.ts'
import { DELIVERY_POLICY } from '../src/features/webhooks/sending/record-outcomes.ts'

/** Like `serve --json`, but with many fast retries: no test can wait for three days. */
const deliveryPolicy = {
  ...DELIVERY_POLICY,
  delaysMs: Array.from({ length: 60 }, () => 100),
  timeoutMs: 300,
  leaseMs: 1_500,
  pollMs: 200,
}

const config = readConfig()
const log = createLog(config.logLevel, pino.destination({ dest: 2, sync: true }))
const service = await startService(config, { log, deliveryPolicy })
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`)
process.once('SIGTERM', () => {
  void service.stop().then(() => process.exit(0))
})
