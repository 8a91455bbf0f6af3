import { runServer } from './run-server.mjs'

process.env.NODE_ENV ??= 'production'
await runServer(process.argv.slice(2))
