import { expect, test } from 'bun:test'
import { findingsOf } from './findings.ts'
import type { ServiceState } from './service-state.ts'

const MEGABYTE = 1_000_000

const WELL: ServiceState = {
  isReady: true,
  startedAt: 0,
  publicUrl: 'https://polls.example.com',
  versions: { tossup: '1.0.0', bun: '1.4.5', engine: 'sqlite', database: '3.51.0', schema: '0001-brands' },
  queues: { votes: 0, mostVotes: 1, events: 0, deliveries: 0, lagSeconds: 0, failingWebhooks: 0, failingJobs: [] },
  audit: { endedAt: null, differing: 0 },
  backups: { isOn: true, isOverdue: false, lastAt: null, nextAt: null, failure: null },
  disk: { freeBytes: 5_000 * MEGABYTE, totalBytes: 9_000 * MEGABYTE, databaseBytes: 1 },
  openFiles: { open: 79, limit: 100 },
  untrustedProxy: null,
  hasSilentProxy: false,
  integrityAlerts: 0,
}

test('a healthy server has none, also on a system that does not report open files', () => {
  expect(findingsOf(WELL)).toEqual([])
  expect(findingsOf({ ...WELL, openFiles: { open: null, limit: null } })).toEqual([])
  expect(findingsOf({ ...WELL, publicUrl: 'http://localhost:3000' })).toEqual([])
})

test.each<[string, string, Partial<ServiceState>]>([
  ['votes_refused', 'fault', { isReady: false }],
  ['tally_drift', 'fault', { audit: { endedAt: 1, differing: 1 } }],
  ['disk_full', 'fault', { disk: { ...WELL.disk, freeBytes: 199 * MEGABYTE } }],
  ['disk_low', 'warning', { disk: { ...WELL.disk, freeBytes: 999 * MEGABYTE } }],
  ['backup_failed', 'fault', { backups: { ...WELL.backups, failure: 'no room' } }],
  ['backup_overdue', 'fault', { backups: { ...WELL.backups, isOverdue: true } }],
  ['backups_off', 'warning', { backups: { ...WELL.backups, isOn: false } }],
  ['silent_proxy', 'fault', { hasSilentProxy: true }],
  ['untrusted_proxy', 'fault', { untrustedProxy: 'TRUSTED_PROXIES=10.0.0.7' }],
  ['integrity_alerts', 'warning', { integrityAlerts: 1 }],
  ['webhooks_failing', 'warning', { queues: { ...WELL.queues, failingWebhooks: 1 } }],
  ['webhooks_late', 'warning', { queues: { ...WELL.queues, lagSeconds: 301 } }],
  ['jobs_failing', 'warning', { queues: { ...WELL.queues, failingJobs: ['pictures'] } }],
  ['open_files', 'warning', { openFiles: { open: 80, limit: 100 } }],
  ['not_encrypted', 'warning', { publicUrl: 'http://polls.example.com' }],
])('%s is a %s', (code, level, changed) => {
  expect(findingsOf({ ...WELL, ...changed })).toEqual([{ code, level }] as never)
})

test('faults come first', () => {
  const backups = { ...WELL.backups, isOn: false, failure: 'no room' }
  expect(findingsOf({ ...WELL, backups, integrityAlerts: 1 }).map(({ level }) => level)).toEqual([
    'fault',
    'warning',
    'warning',
  ])
})
