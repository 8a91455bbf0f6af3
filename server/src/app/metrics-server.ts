import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openFileLimit, openFiles } from '../base/machine.ts'
import { METRICS_TYPE, metricsText } from '../base/metrics-text.ts'
import { type Config, version } from '../config/config.ts'
import { notListening } from './listen.ts'
import { type Measured, metricsOf } from './metrics.ts'

const LOOK_EVERY_MS = 20

interface MetricsServer {
  readonly url: string
  stop(): Promise<void>
}

/** On a port of its own, so that a firewall can keep the metrics private. */
interface MetricsPlace {
  readonly hostname: string
  readonly port: number
  /** During a rolling restart a process and its successor have the same port. */
  readonly reusePort: boolean
}

function serveMetrics(place: MetricsPlace, measured: Measured): MetricsServer {
  const loop = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS })
  loop.enable()
  const server = Bun.serve({ ...place, development: false, fetch: answer })

  function answer({ method, url }: Request): Response {
    const { pathname } = new URL(url)
    if (pathname === '/status' && method === 'GET') return Response.json(statusOf(measured))
    if (pathname !== '/metrics') return plain('Metrics are at /metrics.\n', { status: 404 })
    if (method !== 'GET' && method !== 'HEAD')
      return plain('GET or HEAD.\n', { status: 405, headers: { Allow: 'GET, HEAD' } })
    const text = metricsText(metricsOf(measured, loop))
    if (method === 'GET') loop.reset()
    return plain(text)
  }

  return {
    url: server.url.href,
    async stop() {
      loop.disable()
      await server.stop(true)
    },
  }
}

/** The answer of `/status`, which `tossup doctor` requests from the running server. */
const statusOf = ({ proxyWatch }: Measured) => ({
  version,
  untrustedProxy: proxyWatch.line,
  openFiles: { limit: openFileLimit(), open: openFiles() },
})

const plain = (
  text: string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) => new Response(text, { status, headers: { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store', ...headers } })

export function openMetrics(
  { host, metricsPort: port }: Config,
  measured: Measured,
  reusePort: boolean,
): MetricsServer | null {
  if (port === null) return null
  try {
    return serveMetrics({ hostname: host, port, reusePort }, measured)
  } catch (error) {
    throw notListening(error, { host, port, name: 'METRICS_PORT' })
  }
}
