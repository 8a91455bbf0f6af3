import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCodeOf, PlainFailure, reasonOf } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { Peers } from '../http/incoming.ts'
import type { App } from './app.ts'

const STOP_WITHIN_MS = 10_000

type Server = ReturnType<typeof Bun.serve>

export async function listen(
  { host, port }: Pick<Config, 'host' | 'port'>,
  { fetch, sharesPort }: { fetch: App['fetch']; sharesPort: boolean },
): Promise<Server> {
  await assertHost(host)
  const peers: Peers = {
    addressOf: (request) => server.requestIP(request)?.address ?? '',
    connectionOf(request) {
      const peer = server.requestIP(request)
      return peer ? `${peer.address} ${peer.port}` : ''
    },
    holdOpen: (request) => server.timeout(request, 0),
  }
  let server: Server
  try {
    server = Bun.serve({
      hostname: host,
      port,
      // The door refuses large bodies with our own error. Until a body is read, flow control holds back its sender.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      // Seconds without a byte: also ends idle and slow connections, which Bun accepts without a bound.
      idleTimeout: 30,
      // Otherwise a second server could silently share the port, and each would receive some of the votes.
      reusePort: sharesPort,
      development: false,
      fetch: (request) => fetch(request, peers),
    })
    return server
  } catch (error) {
    throw notListening(error, { host, port, name: 'PORT' })
  }
}

/** Bun reports an unknown host name as an address in use. */
async function assertHost(host: string): Promise<void> {
  await lookup(host).catch((error) => {
    throw new PlainFailure(`Cannot listen on HOST ${host}: ${reasonOf(error)}.`, { cause: error })
  })
}

/** Processes that share a port would also share it with another server, which would get a part of the votes. */
export async function assertFreePort(place: { host: string; port: number; name: string }): Promise<void> {
  const { host: hostname, port } = place
  await assertHost(hostname)
  try {
    Bun.listen({ hostname, port, socket: { data: () => undefined } }).stop(true)
  } catch (error) {
    throw notListening(error, place)
  }
}

export function notListening(error: unknown, { host, port, name }: { host: string; port: number; name: string }) {
  const cause = { cause: error }
  const code = errorCodeOf(error)
  if (code === 'EADDRINUSE') return new PlainFailure(`${name} ${port} on ${host} is already in use.`, cause)
  return new PlainFailure(`Cannot listen on HOST ${host}, ${name} ${port}: ${code || reasonOf(error)}.`, cause)
}

/** Keeps listening until requests in flight are answered, so that new clients get a 503 with Retry-After. */
export async function stopServer(server: Server, drain: () => Promise<void>): Promise<void> {
  // Unreferenced, so that the timer does not keep the process alive after the server has stopped.
  const isLate = pause(STOP_WITHIN_MS, false, { ref: false })
  const stopped = drain()
    .then(() => server.stop())
    .then(() => true)
  const isDone = await Promise.race([stopped, isLate])
  if (!isDone) await server.stop(true)
}
