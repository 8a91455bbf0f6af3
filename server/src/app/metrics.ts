import { monitorEventLoopDelay } from 'node:perf_hooks'
import { METRICS_TYPE, type Metric, metricsText, type Sample } from '../base/metrics-text.ts'
import { type Config, version } from '../config/config.ts'
import type { Engine } from '../db/store.ts'
import type { TallyStreams } from '../features/polls/streams/tally-streams.ts'
import type { Ledger } from '../features/votes/ledger.ts'
import type { TallyAuditor } from '../features/votes/tally-auditor.ts'
import type { DeliveryBacklog } from '../features/webhooks/sending/queue.ts'
import type { ProxyWatch } from '../http/network.ts'
import type { App } from './app.ts'
import { notListening } from './listen.ts'
import { type MetricName, metricEntries } from './metrics-catalogue.ts'
import type { Worker } from './worker.ts'

export interface Measured {
  readonly engine: Pick<Engine, 'name' | 'connections'>
  readonly app: Pick<App, 'answered'>
  readonly auditor: TallyAuditor
  readonly backlog: DeliveryBacklog
  readonly backups: Worker['backups']
  /** By the cache's name in the metric's label. */
  readonly caches: Readonly<Record<string, { lookups: Readonly<Record<'hit' | 'miss', number>> }>>
  readonly ledger: Ledger
  readonly proxyWatch: Pick<ProxyWatch, 'line' | 'hasSilentProxy'>
  readonly streams: TallyStreams
}

type Loop = ReturnType<typeof monitorEventLoopDelay>

/** A plain number is a series without labels. */
type Values = Record<MetricName, number | Sample[]>

/** Only assigns names: each part of the service keeps its own counts. */
function metricsOf(measured: Measured, loop: Loop): Metric[] {
  const values = valuesOf(measured, loop)
  return metricEntries.map(([name, { type, help }]) => {
    const value = values[name]
    return { name, type, help, samples: typeof value === 'number' ? [{ value }] : value }
  })
}

function valuesOf({ auditor, backlog, backups, ledger, streams, ...measured }: Measured, loop: Loop): Values {
  const { user, system } = process.cpuUsage()
  const memory = process.memoryUsage()
  const routes = measured.app.answered.filter(({ endings }) => endings.length > 0)
  return {
    tally_drift: auditor.drift,
    tossup_audit_last_pass_timestamp_seconds: auditor.passedAt / 1e3,
    tossup_audit_passes_total: auditor.counts.passes,
    tossup_audited_votes_total: auditor.counts.rows,
    tossup_backup_failed: backups.hasFailed ? 1 : 0,
    tossup_backup_last_success_timestamp_seconds: (backups.newestAt ?? 0) / 1e3,
    tossup_build_info: [{ labels: { version, engine: measured.engine.name, bun: Bun.version }, value: 1 }],
    tossup_cache_lookups_total: Object.entries(measured.caches).flatMap(([cache, { lookups }]) =>
      samplesBy('result', lookups).map(({ labels, value }) => ({ labels: { cache, ...labels }, value })),
    ),
    tossup_database_connections: samplesBy('state', { ...measured.engine.connections() }),
    tossup_event_loop_lag_seconds: ([50, 99, 100] as const).map((percent) => ({
      labels: { quantile: String(percent / 100) },
      value: loop.percentile(percent) / 1e9,
    })),
    tossup_memory_bytes: samplesBy('kind', {
      heap: memory.heapTotal,
      heap_used: memory.heapUsed,
      external: memory.external,
      array_buffers: memory.arrayBuffers,
    }),
    tossup_request_duration_seconds: routes.flatMap(({ route, durations }) => durations.samples({ route })),
    tossup_requests_total: routes.flatMap(({ route, endings }) =>
      endings.map(({ status, code, count }) => ({ labels: { route, status: String(status), code }, value: count })),
    ),
    tossup_stream_events_total: streams.counts.events,
    tossup_stream_listeners: streams.listeners,
    tossup_stream_slow_readers_total: streams.counts.tooSlow,
    tossup_silent_proxy: measured.proxyWatch.hasSilentProxy ? 1 : 0,
    tossup_untrusted_proxy: measured.proxyWatch.line === null ? 0 : 1,
    tossup_vote_groups_total: ledger.groups,
    tossup_vote_queue_seconds: ledger.queued.samples(),
    tossup_vote_queue_length: ledger.queueLength,
    tossup_vote_wait_seconds: ledger.waits.samples(),
    tossup_votes_total: samplesBy('outcome', ledger.counts),
    tossup_webhook_backlog: samplesBy('stage', { events: backlog.events, deliveries: backlog.deliveries }),
    tossup_webhook_lag_seconds: backlog.lagMs / 1e3,
    process_cpu_seconds_total: (user + system) / 1e6,
    process_resident_memory_bytes: memory.rss,
    process_start_time_seconds: Math.round(performance.timeOrigin) / 1e3,
  }
}

const samplesBy = (label: string, counts: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }))

const LOOK_EVERY_MS = 20

/** On a port of its own, so that a firewall can keep the metrics private. In a rolling restart a successor reuses it. */
export function openMetrics({ host, metricsPort: port }: Config, measured: Measured, reusePort: boolean) {
  if (port === null) return null
  const loop = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS })
  function answer({ method, url }: Request): Response {
    const { pathname } = new URL(url)
    if (pathname !== '/metrics') return plain('Metrics are at /metrics.\n', { status: 404 })
    if (method !== 'GET' && method !== 'HEAD')
      return plain('GET or HEAD.\n', { status: 405, headers: { Allow: 'GET, HEAD' } })
    const text = metricsText(metricsOf(measured, loop))
    if (method === 'GET') loop.reset()
    return plain(text)
  }
  try {
    const server = Bun.serve({ hostname: host, port, reusePort, development: false, fetch: answer })
    loop.enable()
    return {
      url: server.url.href,
      async stop() {
        loop.disable()
        await server.stop(true)
      },
    }
  } catch (error) {
    throw notListening(error, { host, port, name: 'METRICS_PORT' })
  }
}

const plain = (
  text: string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) => new Response(text, { status, headers: { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store', ...headers } })
