import type { MetricType } from '../base/metrics-text.ts'

interface MetricEntry {
  readonly type: MetricType
  readonly labels?: readonly string[]
  readonly help: string
  /** Advice for operators on how to read the metric. */
  readonly watch: string
}

/** Every metric: the help texts at METRICS_PORT and the table of docs/guides/watching.md are generated from this. */
export const METRICS = {
  tally_drift: {
    type: 'gauge',
    help: 'Polls whose tally differs from their votes.',
    watch: 'Must be 0: see [When a tally drifts](#when-a-tally-drifts).',
  },
  tossup_audit_last_pass_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last audit ended, in seconds since 1970; 0 before the first.',
    watch: 'Advances. `tally_drift` is the result of that audit.',
  },
  tossup_audit_passes_total: {
    type: 'counter',
    help: 'Completed audits: of all polls at the start, then of those with new votes.',
    watch: 'Increases. `tally_drift` is meaningful after the first audit.',
  },
  tossup_audited_votes_total: {
    type: 'counter',
    help: 'Votes recounted by the auditor.',
    watch: 'Increases every half hour while there are new votes.',
  },
  tossup_backup_failed: {
    type: 'gauge',
    help: '1 if the last attempt to make a backup in BACKUP_URL failed, otherwise 0.',
    watch: 'Must be 0; the log has the reason. See [Backups](#backups).',
  },
  tossup_backup_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'The time of the newest complete backup in BACKUP_URL, in seconds since 1970; 0 if there is none, or it is not known yet.',
    watch: 'Its age should stay below twice `BACKUP_EVERY`. Several servers report the same place: use the maximum.',
  },
  tossup_build_info: {
    type: 'gauge',
    labels: ['version', 'engine', 'bun'],
    help: 'Always 1; the labels are the versions of Tossup and Bun, and the database engine.',
    watch: 'Shows which servers run an older version.',
  },
  tossup_cache_lookups_total: {
    type: 'counter',
    labels: ['cache', 'result'],
    help: 'Lookups of polls, first pages of feeds and rendered pages in memory, by result.',
    watch:
      'A miss reads the database or renders a page. A high miss rate means that the working set exceeds the cache, or that there are many changes.',
  },
  tossup_database_connections: {
    type: 'gauge',
    labels: ['state'],
    help: 'Connections to the database that are open, those in use (busy), and work that waits for one (waiting). Excludes those of votes and of notices.',
    watch:
      '`waiting` above 0 for long means that the database is too slow for its requests. PostgreSQL: at most `DATABASE_POOL` are open; SQLite has one.',
  },
  tossup_event_loop_lag_seconds: {
    type: 'gauge',
    labels: ['quantile'],
    help: 'Delay of the event loop since the last scrape.',
    watch: 'Above 0.1 the process is overloaded. Scrape with one collector only, because each scrape resets the value.',
  },
  tossup_memory_bytes: {
    type: 'gauge',
    labels: ['kind'],
    help: 'Memory of JavaScript: the heap, its used part, buffers, and other memory outside the heap.',
    watch: 'Shows which kind grows when `process_resident_memory_bytes` grows. Excludes the caches of SQLite.',
  },
  tossup_request_duration_seconds: {
    type: 'histogram',
    labels: ['route'],
    help: 'Time from the arrival of a request until its answer was ready to send; 0 for an answer from memory.',
    watch: 'Includes the time to receive the body, but not the time to send the answer.',
  },
  tossup_requests_total: {
    type: 'counter',
    labels: ['route', 'status', 'code'],
    help: 'Completed requests by operation of /openapi.json, status and error code.',
    watch:
      '`route` is empty for an unknown path, an unsupported method or a preflight. `code` is empty for an answer without an error. Status 499: the client disconnected before the answer.',
  },
  tossup_silent_proxy: {
    type: 'gauge',
    help: '1 if a peer in TRUSTED_PROXIES sends no X-Forwarded-For, otherwise 0.',
    watch: 'Must be 0. Otherwise all visitors behind that proxy share the limits of one network.',
  },
  tossup_stream_events_total: {
    type: 'counter',
    help: 'Changes sent to listeners, counted once per listener.',
    watch: 'Increases with votes and listeners, at most twice a second per listener.',
  },
  tossup_stream_listeners: {
    type: 'gauge',
    help: 'Open streams of tallies.',
    watch: 'At `STREAMS` further streams are refused with 503.',
  },
  tossup_stream_slow_readers_total: {
    type: 'counter',
    help: 'Listeners disconnected because they did not read.',
    watch: 'Increases with slow networks, or with a proxy that buffers answers.',
  },
  tossup_untrusted_proxy: {
    type: 'gauge',
    help: '1 if a peer that is not in TRUSTED_PROXIES forwarded requests of several clients, otherwise 0.',
    watch:
      'Must be 0. Otherwise all visitors behind a proxy share the limits of one network: the log has the line to set.',
  },
  tossup_vote_groups_total: {
    type: 'counter',
    help: 'Commits of votes; each commit stores a group of votes.',
    watch: '`tossup_votes_total` divided by this is the average number of votes per commit.',
  },
  tossup_vote_queue_seconds: {
    type: 'histogram',
    help: 'Time from a vote reaching the ledger until its group began to be stored.',
    watch: 'The rest of `tossup_vote_wait_seconds` is the commit itself.',
  },
  tossup_vote_queue_length: {
    type: 'gauge',
    help: 'Votes waiting for their commit.',
    watch: 'At 20,000 further votes are refused with 503.',
  },
  tossup_vote_wait_seconds: {
    type: 'histogram',
    help: 'Time from a vote reaching the ledger until its commit was durable.',
    watch:
      'High values mean a slow disk or database. Votes that waited for 8 seconds are refused with 503 and not included.',
  },
  tossup_votes_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Votes that reached the ledger, by outcome.',
    watch:
      '`accepted`, `already`, `closed`, `missing`; `unproven`: a challenge was due and not solved; `codeless`, `invalidCode`: the poll asks for a code, and there was none, or none that counts; `unavailable`: the database did not answer, or the queue was full.',
  },
  tossup_webhook_backlog: {
    type: 'gauge',
    labels: ['stage'],
    help: 'Events not yet turned into deliveries (counted up to 1,000), and unfinished deliveries (counted up to 10,000). Some seconds old.',
    watch:
      'Every server reports the same database: use the maximum, not the sum. Includes deliveries that wait for a retry.',
  },
  tossup_webhook_lag_seconds: {
    type: 'gauge',
    help: 'How long the oldest event or delivery has been due. Some seconds old.',
    watch: 'Increases when deliveries are stuck, or when a receiver is too slow for its events.',
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'Processor time, user and system.',
    watch: 'A rate of 1 is one full core.',
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the process.',
    watch: 'Compare it with the limit of the machine or container.',
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'When the process started, in seconds since 1970.',
    watch: 'Changes at a restart.',
  },
} satisfies Record<string, MetricEntry>

export type MetricName = keyof typeof METRICS

/** For code that iterates over all metrics. */
export const metricEntries = Object.entries(METRICS) as [MetricName, MetricEntry][]
