import { runServer } from './run-server.mjs'

process.env.NODE_ENV ??= 'development'
process.env.DEMO ??= 'true'
await runServer(['serve', ...process.argv.slice(2)], ['--watch', '--no-clear-screen'])
