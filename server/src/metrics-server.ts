import { monitorEventLoopDelay } from 'node:perf_hooks'
import { METRICS_TYPE, metricsText } from './base/metrics-text.ts'
import { type Measured, metricsOf } from './metrics.ts'

const LOOK_EVERY_MS = 20

export interface MetricsServer {
  readonly url: string
  stop(): Promise<void>
}

/** On a port of its own, so that what is told there can be kept from the world by not letting it in. */
export function serveMetrics(place: { hostname: string; port: number }, measured: Measured): MetricsServer {
  const loop = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS })
  const server = Bun.serve({ ...place, reusePort: false, development: false, fetch: answer })
  loop.enable()

  function answer({ method, url }: Request): Response {
    if (new URL(url).pathname !== '/metrics') return plain('Metrics are at /metrics.\n', { status: 404 })
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

const plain = (
  text: string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) => new Response(text, { status, headers: { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store', ...headers } })
