import { ScheduledBackups } from '../backup/scheduled-backups.ts'
import { MINUTE, SECOND } from '../base/clock.ts'
import { type Job, Jobs } from '../base/work/jobs.ts'
import type { IntegrityWatch } from '../features/analytics/integrity/integrity-watch.ts'
import { raiseAlerts } from '../features/analytics/integrity/raise-alerts.ts'
import { noteMilestones } from '../features/analytics/mails/note-milestones.ts'
import { sendDigests, sendNews } from '../features/analytics/mails/send-mails.ts'
import type { ViewCounts } from '../features/analytics/sources/view-counts.ts'
import { removeDeletedCampaigns } from '../features/campaigns/delete-campaign.ts'
import { sweepForgotten } from '../features/campaigns/respondents/forgotten.ts'
import { removeDeletedVotes } from '../features/campaigns/respondents/remove-deleted-votes.ts'
import { walkVotes } from '../features/campaigns/respondents/walk-votes.ts'
import { mixUses } from '../features/codes/mix-uses.ts'
import { removeDeletedLists } from '../features/codes/remove-codes.ts'
import type { Deps } from '../features/deps.ts'
import { extendLogs } from '../features/log/extend-logs.ts'
import { removeDeletedBrands } from '../features/operator/delete-brand.ts'
import { removeOldActivity } from '../features/people/activity/routes.ts'
import type { Mailer } from '../features/people/mail/mailer.ts'
import { makePictures } from '../features/polls/make-pictures.ts'
import { announceDue } from '../features/polls/poll-events.ts'
import type { Popularity } from '../features/polls/popularity.ts'
import { writeSearchTexts } from '../features/polls/search-text.ts'
import { FileSweep } from '../features/uploads/files.ts'
import { sweepTickets } from '../features/uploads/tickets.ts'
import type { Ledger } from '../features/votes/ledger.ts'
import { raiseTallies } from '../features/votes/raise-tallies.ts'
import type { TallyAuditor } from '../features/votes/tally-auditor.ts'
import { WaitWatch } from '../features/votes/vote-watch.ts'
import { removeOldEvents } from '../features/webhooks/event-feed.ts'
import { Deliveries } from '../features/webhooks/sending/deliveries.ts'
import { removeSilentListeners } from '../features/webhooks/sending/listener.ts'
import { type DeliveryBacklog, removeOldDeliveries, removeOrphans } from '../features/webhooks/sending/queue.ts'
import type { DeliveryPolicy } from '../features/webhooks/sending/record-outcomes.ts'
import { DELIVERIES, withLook } from './due-work.ts'
import { removeExpired } from './expiry.ts'
import type { ProcessRole } from './process-role.ts'

export type Worker = ReturnType<typeof startWorker>

/** 'by hand': nothing runs except in `runDue`, so that tests need not wait. */
export type JobMode = 'by time' | 'by hand'

interface Parts {
  readonly popularity: Popularity
  readonly auditor: TallyAuditor
  readonly ledger: Ledger
  readonly watch: IntegrityWatch
  readonly views: ViewCounts
  readonly backlog: DeliveryBacklog
  readonly mailer: Mailer
  readonly deliveryPolicy: DeliveryPolicy | undefined
  readonly mode: JobMode
  readonly role: ProcessRole
}

/** Jobs with `isOwn` run in each process that answers requests, because they concern that process's own votes or metrics. */
type PlacedJob = Job & { readonly isOwn?: true }

export function startWorker(deps: Deps, parts: Parts) {
  const { popularity, auditor, ledger, watch, views, backlog, mailer, deliveryPolicy, mode, role } = parts
  const { engine } = deps
  const isAlone = engine.name === 'sqlite'
  /** A sweep finds what a stop left undone: elsewhere another server has usually done it. */
  const sweepMs = isAlone ? undefined : 20 * SECOND
  const fileSweep = new FileSweep(deps)
  const backups = new ScheduledBackups(deps)
  const waits = new WaitWatch(deps.log, ledger)
  const every: PlacedJob[] = [
    {
      name: 'stale popularity',
      everyMs: 2 * SECOND,
      restMs: sweepMs,
      run: (now) => popularity.sweep(now),
    },
    { name: 'popularity', isOwn: true, everyMs: 2 * SECOND, run: (now) => popularity.refresh(now) },
    { name: 'changed counts', everyMs: SECOND / 2, run: (now) => raiseTallies(deps, now) },
    { name: 'respondents', everyMs: SECOND, run: () => walkVotes(engine) },
    { name: 'deleted campaigns', everyMs: 5 * SECOND, run: () => removeDeletedCampaigns(engine) },
    { name: 'deleted code lists', everyMs: 5 * SECOND, run: () => removeDeletedLists(engine) },
    ...(isAlone ? [] : [{ name: 'uses of codes', everyMs: MINUTE, run: () => mixUses(engine) }]),
    { name: 'audit', isOwn: true, everyMs: SECOND, restMs: 30 * MINUTE, run: (now) => auditor.run(now) },
    { name: 'logs of polls', everyMs: 3 * SECOND, run: () => extendLogs(deps) },
    { name: 'opening and closing', everyMs: SECOND, run: (now) => announceDue(deps, now) },
    { name: 'forgotten guests', everyMs: 20 * SECOND, run: () => sweepForgotten(engine) },
    { name: 'integrity', isOwn: true, everyMs: 5 * SECOND, run: (now) => raiseAlerts(deps, watch, now) },
    { name: 'views', isOwn: true, everyMs: 5 * SECOND, run: () => views.store() },
    { name: 'expiry', everyMs: 5 * SECOND, run: (now) => removeExpired(engine, now) },
    { name: 'deleted brands', everyMs: 5 * SECOND, run: () => removeDeletedBrands(deps) },
    { name: 'deleted votes', everyMs: 5 * SECOND, run: () => removeDeletedVotes(engine) },
    { name: 'webhook backlog', isOwn: true, everyMs: 5 * SECOND, run: (now) => backlog.look(now) },
    { name: 'webhook orphans', everyMs: 5 * SECOND, run: (now) => removeOrphans(engine, now) },
    { name: 'silent listeners', everyMs: 5 * SECOND, run: (now) => removeSilentListeners(deps, now) },
    { name: 'old deliveries', everyMs: 5 * SECOND, run: (now) => removeOldDeliveries(engine, now) },
    { name: 'old events', everyMs: MINUTE, run: (now) => removeOldEvents(engine, now) },
    { name: 'old activity', everyMs: 60 * SECOND, run: (now) => removeOldActivity(engine, now) },
    { name: 'search texts', everyMs: MINUTE, run: () => writeSearchTexts(engine) },
    { name: 'pictures', everyMs: SECOND / 2, run: () => makePictures(deps) },
    {
      name: 'files',
      everyMs: 10 * SECOND,
      restMs: isAlone ? undefined : MINUTE,
      run: (now) => fileSweep.run(now),
    },
    { name: 'waits of votes', isOwn: true, everyMs: 10 * SECOND, run: () => waits.look() },
    { name: 'backups', everyMs: MINUTE, run: (now) => backups.run(now) },
    { name: 'upload tickets', everyMs: 10 * SECOND, run: (now) => sweepTickets(deps, now) },
    { name: 'milestones', everyMs: MINUTE, run: (now) => noteMilestones(deps, now) },
    { name: 'news by mail', everyMs: MINUTE, run: (now) => sendNews({ deps, mailer }, now) },
    { name: 'weekly digests', everyMs: MINUTE, run: (now) => sendDigests({ deps, mailer }, now) },
  ]
  const isShared = role !== 'api'
  const placed = every.filter(({ isOwn }) => isShared || isOwn)
  /** Where several servers ask one database, one statement asks for all jobs whether there is work. */
  const isLooking = isShared && !isAlone && mode === 'by time'
  const deliveries = new Deliveries(deps, {
    isPressed: () => ledger.isPressed,
    policy: deliveryPolicy,
    isTold: isLooking,
  })
  const jobs: Jobs = new Jobs(deps, isLooking ? withLook(deps, placed, wake) : placed)
  function wake(name: string): void {
    if (name === DELIVERIES) deliveries.wake()
    else jobs.wake(name)
  }
  if (mode === 'by time') {
    jobs.start()
    if (isShared) deliveries.start()
  }
  return {
    backups,
    jobs,
    /** Runs every job and delivery that is due by the clock. For tests, one call at a time. */
    async runDue() {
      if (mode === 'by time') throw new Error('runDue needs a worker that runs by hand')
      await jobs.runDue()
      // Deliveries last, because jobs raise events.
      if (isShared) await deliveries.runDue()
    },
    /** Resolves when the current runs have finished. */
    async stop() {
      backups.stop()
      await Promise.all([jobs.stop(), deliveries.stop()])
    },
  }
}
