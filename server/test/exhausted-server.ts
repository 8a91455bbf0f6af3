import pino from 'pino'
import { DescriptorWatch } from '../src/base/descriptors/descriptor-watch.ts'
import { createLog } from '../src/base/log.ts'

/** A program: a server that bounds no connections, so that a test can use up its file descriptors. */
new DescriptorWatch(createLog('warn', pino.destination(2)))
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: () => new Response('here') })
process.stdout.write(`${JSON.stringify({ url: server.url.origin })}\n`)
