import type { monitorEventLoopDelay } from 'node:perf_hooks'
import type { App } from './app.ts'
import type { Metric } from './base/metrics-text.ts'
import type { TallyAuditor } from './features/audit/tally-auditor.ts'
import type { StreamWatchdog } from './features/polls/streams/stream-watchdog.ts'
import type { TallyStreams } from './features/polls/streams/tally-streams.ts'
import type { Ledger } from './features/votes/ledger.ts'

export interface Measured {
  readonly app: App
  readonly auditor: TallyAuditor
  readonly ledger: Ledger
  readonly streams: TallyStreams
  readonly watchdog: StreamWatchdog
}

type Loop = ReturnType<typeof monitorEventLoopDelay>

/** Everything is counted where it happens, in plain numbers; here they are only given their names. */
export const metricsOf = ({ app, auditor, ledger, streams, watchdog }: Measured, loop: Loop): Metric[] => [
  gauge('tally_drift', 'Polls whose tally differs from their votes. Anything but 0 is wrong.', auditor.drift),
  counter('tossup_audited_votes_total', 'Votes counted again by the auditor.', auditor.counts.rows),
  counter('tossup_audit_passes_total', 'Rounds of the auditor over all polls.', auditor.counts.passes),
  {
    name: 'tossup_votes_total',
    type: 'counter',
    help: 'Votes that reached the ledger, by what became of them.',
    samples: Object.entries(ledger.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  counter('tossup_vote_groups_total', 'Groups of votes committed together.', ledger.groups),
  gauge('tossup_vote_queue_length', 'Votes that wait for their commit.', ledger.queueLength),
  gauge('tossup_stream_listeners', 'Open streams of tallies.', streams.listeners),
  gauge(
    'tossup_stream_listeners_behind',
    'Open streams 5 seconds behind their poll. Anything but 0 is wrong.',
    watchdog.behind,
  ),
  counter('tossup_stream_events_total', 'Changes sent to listeners, one for each of them.', streams.counts.events),
  counter('tossup_stream_slow_readers_total', 'Listeners cut off because they did not read.', streams.counts.tooSlow),
  {
    name: 'tossup_requests_total',
    type: 'counter',
    help: 'Requests answered, by route and class of status.',
    samples: app.requests().map(({ count, ...labels }) => ({ labels, value: count })),
  },
  ...processMetrics(loop),
]

function processMetrics(loop: Loop): Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('tossup_heap_used_bytes', 'Memory of its JavaScript objects.', heapUsed),
    counter('process_cpu_seconds_total', 'Processor time, user and system.', (user + system) / 1e6),
    gauge('process_start_time_seconds', 'When it started, since 1970.', Math.round(performance.timeOrigin) / 1e3),
    {
      name: 'tossup_event_loop_lag_seconds',
      type: 'gauge',
      help: 'How late the event loop was, since it was last asked.',
      samples: ([50, 99, 100] as const).map((percent) => ({
        labels: { quantile: String(percent / 100) },
        value: loop.percentile(percent) / 1e9,
      })),
    },
  ]
}

const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  type: 'gauge',
  help,
  samples: [{ value }],
})

const counter = (name: string, help: string, value: number): Metric => ({
  ...gauge(name, help, value),
  type: 'counter',
})
