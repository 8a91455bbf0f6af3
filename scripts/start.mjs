import { runServer } from './run-server.mjs'

process.env.NODE_ENV ??= 'production'
process.env.DEMO ??= 'true'
// A newcomer's screen shows what to do next; a server run by `tossup serve` logs what it does.
process.env.LOG_LEVEL ??= 'warn'
await runServer(['serve', ...process.argv.slice(2)])
