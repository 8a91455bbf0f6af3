import { isLocalUrl } from '../../config/config.ts'
import type { ServiceState } from './service-state.ts'

type Level = 'warning' | 'fault'

interface FindingEntry {
  readonly level: Level
  /** In the reference. */
  readonly about: string
  /** In the doctor and on the operator's page, which translates it. Values are in braces. */
  readonly title: string
  readonly advice: string
  readonly isFound: (state: ServiceState) => boolean
}

const MEGABYTE = 1_000_000
/** The log of SQLite alone grows to 64 MiB, and further during a backup. */
const FULL_BELOW = 200 * MEGABYTE
const LOW_BELOW = 1_000 * MEGABYTE

/** A delivery that is due for longer waits for a receiver, or is stuck: the alert rules of deploy/ use the same number. */
const LONG_LAG_SECONDS = 300

/** The doctor sees some of a state, and judges what it sees. */
type Part<Key extends keyof ServiceState, Inner extends keyof ServiceState[Key]> = {
  readonly [K in Key]: Pick<ServiceState[K], Inner>
}

/** The operator's page and the doctor judge by this list: the faults first. */
export const FINDINGS = {
  votes_refused: {
    level: 'fault',
    about: 'votes cannot be stored.',
    title: 'Votes cannot be stored',
    advice: 'The log of the server names the cause. Run tossup doctor on the server.',
    isFound: ({ isReady }: Pick<ServiceState, 'isReady'>) => !isReady,
  },
  tally_drift: {
    level: 'fault',
    about: 'the tally of a poll differs from its votes.',
    title: 'Tallies differ from their votes',
    advice: '{count} polls. Run tossup verify, keep the files as they are, and look for a sound backup.',
    isFound: ({ audit }: Part<'audit', 'differing'>) => audit.differing > 0,
  },
  disk_full: {
    level: 'fault',
    about: 'less than 200 MB are free on the disk.',
    title: 'The disk is nearly full',
    advice: '{size} are free. Free some space now: a full disk stops all votes.',
    isFound: ({ disk }: Part<'disk', 'freeBytes'>) => disk.freeBytes < FULL_BELOW,
  },
  backup_failed: {
    level: 'fault',
    about: 'the last attempt to make a backup failed.',
    title: 'The last backup failed',
    advice: 'The server said: {reason}',
    isFound: ({ backups }: ServiceState) => backups.failure !== null,
  },
  backup_overdue: {
    level: 'fault',
    about: 'the newest backup is older than twice `BACKUP_EVERY`.',
    title: 'The newest backup is too old',
    advice: 'It is from {when}. The log of the server names the cause; then run tossup backup.',
    isFound: ({ backups }: Part<'backups', 'isOverdue'>) => backups.isOverdue,
  },
  untrusted_proxy: {
    level: 'fault',
    about: 'all visitors behind a proxy share the limits of one network.',
    title: 'All visitors behind a proxy share one limit',
    advice: 'If the proxy is yours, start the server with this setting: {setting}',
    isFound: ({ untrustedProxy }: Pick<ServiceState, 'untrustedProxy'>) => untrustedProxy !== null,
  },
  silent_proxy: {
    level: 'fault',
    about: 'a trusted proxy does not name its visitors, so they share the limits of one network.',
    title: 'A trusted proxy does not name its visitors',
    advice: 'All visitors behind it share one limit. Let the proxy set X-Forwarded-For to the address of the visitor.',
    isFound: ({ hasSilentProxy }: Pick<ServiceState, 'hasSilentProxy'>) => hasSilentProxy,
  },
  integrity_alerts: {
    level: 'warning',
    about: 'the votes of some polls looked conspicuous within a day.',
    title: 'The votes of some polls look suspicious',
    advice: '{count} polls within a day. Their brands see the reasons in the integrity report.',
    isFound: ({ integrityAlerts }: ServiceState) => integrityAlerts > 0,
  },
  webhooks_failing: {
    level: 'warning',
    about: 'the receivers of some webhooks fail.',
    title: 'The receivers of some webhooks fail',
    advice: '{count} webhooks. Their brands see the answers in the list of deliveries.',
    isFound: ({ queues }: Part<'queues', 'failingWebhooks'>) => queues.failingWebhooks > 0,
  },
  webhooks_late: {
    level: 'warning',
    about: 'an event or a delivery has been due for 5 minutes.',
    title: 'Deliveries are late',
    advice: 'The oldest has been due for {minutes} minutes. Slow receivers may be the cause.',
    isFound: ({ queues }: ServiceState) => queues.lagSeconds > LONG_LAG_SECONDS,
  },
  jobs_failing: {
    level: 'warning',
    about: 'the last run of a background job failed.',
    title: 'Background jobs fail',
    advice: '{jobs}. The log of the server names the cause.',
    isFound: ({ queues }: ServiceState) => queues.failingJobs.length > 0,
  },
  disk_low: {
    level: 'warning',
    about: 'less than 1 GB is free on the disk.',
    title: 'The disk fills up',
    advice: '{size} are free. A full disk stops all votes.',
    isFound: ({ disk }: Part<'disk', 'freeBytes'>) => disk.freeBytes >= FULL_BELOW && disk.freeBytes < LOW_BELOW,
  },
  open_files: {
    level: 'warning',
    about: 'four fifths of the open files that are allowed are in use.',
    title: 'Connections run short',
    advice: '{open} of {limit} open files are in use. Raise the limit: ulimit -n, or LimitNOFILE of systemd.',
    isFound: ({ openFiles: { open, limit } }: Pick<ServiceState, 'openFiles'>) =>
      open !== null && limit !== null && open >= 0.8 * limit,
  },
  backups_off: {
    level: 'warning',
    about: 'the server makes no backups by itself.',
    title: 'No backups are made by themselves',
    advice: 'Set BACKUP_URL, or run tossup backup from a timer.',
    isFound: ({ backups }: Part<'backups', 'isOn'>) => !backups.isOn,
  },
  not_encrypted: {
    level: 'warning',
    about: '`PUBLIC_URL` is not encrypted.',
    title: 'Connections are not encrypted',
    advice: 'Put a proxy with TLS in front, and set PUBLIC_URL to https://…',
    isFound: ({ publicUrl }: Pick<ServiceState, 'publicUrl'>) =>
      publicUrl.startsWith('http:') && !isLocalUrl(publicUrl),
  },
} satisfies Record<string, FindingEntry>

export type FindingCode = keyof typeof FINDINGS

export const findingsOf = (state: ServiceState): { code: FindingCode; level: Level }[] =>
  (Object.entries(FINDINGS) as [FindingCode, FindingEntry][])
    .filter(([, { isFound }]) => isFound(state))
    .map(([code, { level }]) => ({ code, level }))
