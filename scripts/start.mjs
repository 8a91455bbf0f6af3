import { runServer } from './run-server.mjs'

process.env.DEMO ??= 'true'
// Keeps a newcomer's first screen to the next steps; `tossup serve` logs at its normal level.
process.env.LOG_LEVEL ??= 'warn'

const given = process.argv.slice(2)
// With PostgreSQL, one process for each core. Without REDIS_URL each of them would count rate limits for itself.
const canShare = process.env.DATABASE_URL && process.env.REDIS_URL
const isChosen = given.some((word) => /^--(workers|role)\b/.test(word))
await runServer(['serve', ...(canShare && !isChosen ? ['--workers', 'auto'] : []), ...given])
