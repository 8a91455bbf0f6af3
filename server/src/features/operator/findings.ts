import { judgeRoom } from '../../base/disk-room.ts'
import { isNearLimit } from '../../base/open-files.ts'
import type { ServiceState } from './service-state.ts'

type Level = 'warning' | 'fault'

interface FindingEntry {
  readonly level: Level
  /** For the reference. */
  readonly about: string
  readonly isFound: (state: ServiceState) => boolean
}

/** A delivery that is due for longer waits for a receiver, or is stuck: the alert rules of deploy/ use the same number. */
const LONG_LAG_SECONDS = 300

const isLocal = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host)

/** What an operator has to look at: the faults first. The page has words and advice for each code. */
export const FINDINGS = {
  votes_refused: {
    level: 'fault',
    about: 'votes cannot be stored.',
    isFound: ({ isReady }) => !isReady,
  },
  tally_drift: {
    level: 'fault',
    about: 'the tally of a poll differs from its votes.',
    isFound: ({ audit }) => audit.differing > 0,
  },
  disk_full: {
    level: 'fault',
    about: 'less than 200 MB are free on the disk.',
    isFound: ({ disk }) => judgeRoom(disk.freeBytes) === 'full',
  },
  backup_failed: {
    level: 'fault',
    about: 'the last attempt to make a backup failed.',
    isFound: ({ backups }) => backups.failure !== null,
  },
  backup_overdue: {
    level: 'fault',
    about: 'the newest backup is older than twice `BACKUP_EVERY`.',
    isFound: ({ backups }) => backups.isOverdue,
  },
  untrusted_proxy: {
    level: 'fault',
    about: 'all visitors behind a proxy share the limits of one network.',
    isFound: ({ untrustedProxy }) => untrustedProxy !== null,
  },
  integrity_alerts: {
    level: 'warning',
    about: 'the votes of some polls looked conspicuous within a day.',
    isFound: ({ integrityAlerts }) => integrityAlerts > 0,
  },
  webhooks_failing: {
    level: 'warning',
    about: 'the receivers of some webhooks fail.',
    isFound: ({ queues }) => queues.failingWebhooks > 0,
  },
  webhooks_late: {
    level: 'warning',
    about: 'an event or a delivery has been due for 5 minutes.',
    isFound: ({ queues }) => queues.lagSeconds > LONG_LAG_SECONDS,
  },
  jobs_failing: {
    level: 'warning',
    about: 'the last run of a background job failed.',
    isFound: ({ queues }) => queues.failingJobs.length > 0,
  },
  disk_low: {
    level: 'warning',
    about: 'less than 1 GB is free on the disk.',
    isFound: ({ disk }) => judgeRoom(disk.freeBytes) === 'low',
  },
  open_files: {
    level: 'warning',
    about: 'four fifths of the open files that are allowed are in use.',
    isFound: ({ openFiles: { open, limit } }) => open !== null && limit !== null && isNearLimit(open, limit),
  },
  backups_off: {
    level: 'warning',
    about: 'the server makes no backups by itself.',
    isFound: ({ backups }) => !backups.isOn,
  },
  not_encrypted: {
    level: 'warning',
    about: '`PUBLIC_URL` is not encrypted.',
    isFound: ({ publicUrl }) => publicUrl.startsWith('http:') && !isLocal(new URL(publicUrl).hostname),
  },
} satisfies Record<string, FindingEntry>

type FindingCode = keyof typeof FINDINGS

export const findingsOf = (state: ServiceState): { code: FindingCode; level: Level }[] =>
  (Object.entries(FINDINGS) as [FindingCode, FindingEntry][])
    .filter(([, { isFound }]) => isFound(state))
    .map(([code, { level }]) => ({ code, level }))
