import { runServer } from './run-server.mjs'

process.env.NODE_ENV ??= 'production'
process.env.DEMO ??= 'true'
// Keeps a newcomer's first screen to the next steps; `tossup serve` logs at its normal level.
process.env.LOG_LEVEL ??= 'warn'
await runServer(['serve', ...process.argv.slice(2)])
