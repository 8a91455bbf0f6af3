import type { ScheduledBackups } from '../../backup/scheduled-backups.ts'
import { diskRoom, openFileLimit, openFiles } from '../../base/machine.ts'
import type { Jobs } from '../../base/work/jobs.ts'
import { version } from '../../config/config.ts'
import type { Deps } from '../deps.ts'
import { type Ledger, LONGEST_QUEUE } from '../votes/ledger.ts'
import type { Readiness } from '../votes/readiness.ts'
import type { TallyAuditor } from '../votes/tally-auditor.ts'
import type { DeliveryBacklog } from '../webhooks/sending/queue.ts'
import { attentionOf, schemaOf } from './queries.ts'

/** The parts of the server that keep numbers of their own. */
export interface ServiceParts {
  readonly auditor: Pick<TallyAuditor, 'drift' | 'passedAt'>
  readonly backlog: Pick<DeliveryBacklog, 'events' | 'deliveries' | 'lagMs'>
  readonly backups: Pick<ScheduledBackups, 'isOn' | 'newestAt' | 'nextAt' | 'failure' | 'isOverdueAt'>
  readonly jobs: Pick<Jobs, 'failing'>
  readonly ledger: Pick<Ledger, 'queueLength'>
  readonly readiness: Pick<Readiness, 'check'>
}

export type ServiceState = Awaited<ReturnType<typeof serviceState>>

/** The state of this process and its database. Each part keeps its own numbers, and the few queries are bounded. */
export async function serviceState(deps: Deps, parts: ServiceParts, now: number) {
  const { engine, config, proxyWatch } = deps
  const { auditor, backlog, backups, jobs, ledger, readiness } = parts
  const isReady = await readiness.check().then(
    () => true,
    () => false,
  )
  const [facts, schema, attention, room] = await Promise.all([
    engine.facts(),
    schemaOf(engine.db),
    attentionOf(engine.db, now),
    diskRoom(config.dataDir),
  ])
  return {
    isReady,
    startedAt: Math.round(performance.timeOrigin),
    publicUrl: config.publicUrl,
    versions: { tossup: version, bun: Bun.version, engine: engine.name, database: facts.version, schema },
    queues: {
      votes: ledger.queueLength,
      mostVotes: LONGEST_QUEUE,
      events: backlog.events,
      deliveries: backlog.deliveries,
      lagSeconds: backlog.lagMs / 1_000,
      failingWebhooks: attention.failingWebhooks,
      failingJobs: jobs.failing,
    },
    audit: { endedAt: auditor.passedAt || null, differing: auditor.drift },
    backups: {
      isOn: backups.isOn,
      isOverdue: backups.isOverdueAt(now),
      lastAt: backups.newestAt,
      nextAt: backups.nextAt,
      failure: backups.failure,
    },
    disk: { ...room, databaseBytes: facts.bytes },
    openFiles: { open: openFiles(), limit: openFileLimit() },
    untrustedProxy: proxyWatch.line,
    hasSilentProxy: proxyWatch.hasSilentProxy,
    integrityAlerts: attention.alerts,
  }
}
