import { runServer } from './run-server.mjs'

await runServer(process.argv.slice(2))
