import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from './base/clock.ts'
import type { Deps } from './deps.ts'
import { removeExpired } from './expiry.ts'
import type { TallyAuditor } from './features/audit/tally-auditor.ts'
import { removeDeletedCampaigns } from './features/campaigns/remove-deleted-campaigns.ts'
import { Deliveries } from './features/deliveries/deliveries.ts'
import { removeSilentListeners } from './features/deliveries/listener.ts'
import type { DeliveryPolicy } from './features/deliveries/policy.ts'
import { removeOldDeliveries, removeOrphans } from './features/deliveries/remove-deliveries.ts'
import { sweepForgotten } from './features/guests/forgotten.ts'
import { announceDue } from './features/polls/events/announce-due.ts'
import type { Popularity } from './features/polls/feed/popularity.ts'
import { makePictures } from './features/polls/pictures/make-pictures.ts'
import type { StreamWatchdog } from './features/polls/streams/stream-watchdog.ts'
import { removeDeletedVotes } from './features/respondents/remove-deleted-votes.ts'
import { walkVotes } from './features/respondents/walk-votes.ts'
import { FileSweep } from './features/uploads/sweep-files.ts'
import { sweepTickets } from './features/uploads/sweep-tickets.ts'
import type { Ledger } from './features/votes/ledger.ts'
import { raiseTallies } from './features/votes/raise-tallies.ts'

interface Job {
  readonly name: string
  readonly everyMs: number
  run(now: number): Promise<void>
}

export interface Worker {
  /** Resolves when the jobs that run now have finished. */
  stop(): Promise<void>
}

interface Parts {
  readonly popularity: Popularity
  readonly auditor: TallyAuditor
  readonly watchdog: StreamWatchdog
  readonly ledger: Ledger
  readonly deliveryPolicy: DeliveryPolicy | undefined
}

export function startWorker(deps: Deps, parts: Parts): Worker {
  const { popularity, auditor, watchdog, ledger, deliveryPolicy } = parts
  const { engine } = deps
  const fileSweep = new FileSweep(deps)
  const jobs: Job[] = [
    { name: 'popularity', everyMs: 2 * SECOND, run: (now) => popularity.refresh(now) },
    { name: 'changed counts', everyMs: SECOND / 2, run: (now) => raiseTallies(deps, now) },
    { name: 'respondents', everyMs: SECOND, run: () => walkVotes(engine) },
    { name: 'deleted campaigns', everyMs: 5 * SECOND, run: () => removeDeletedCampaigns(engine) },
    { name: 'audit', everyMs: SECOND, run: (now) => auditor.run(now) },
    { name: 'live tallies', everyMs: SECOND, run: (now) => watchdog.look(now) },
    { name: 'opening and closing', everyMs: SECOND, run: (now) => announceDue(deps, now) },
    { name: 'forgotten guests', everyMs: 20 * SECOND, run: () => sweepForgotten(engine) },
    { name: 'expiry', everyMs: 5 * SECOND, run: (now) => removeExpired(engine, now) },
    { name: 'deleted votes', everyMs: 5 * SECOND, run: () => removeDeletedVotes(engine) },
    { name: 'webhook orphans', everyMs: 5 * SECOND, run: (now) => removeOrphans(engine, now) },
    { name: 'silent listeners', everyMs: 5 * SECOND, run: (now) => removeSilentListeners(deps, now) },
    { name: 'old deliveries', everyMs: 5 * SECOND, run: (now) => removeOldDeliveries(engine, now) },
    { name: 'pictures', everyMs: SECOND / 2, run: () => makePictures(deps) },
    { name: 'files', everyMs: 10 * SECOND, run: (now) => fileSweep.run(now) },
    { name: 'upload tickets', everyMs: 10 * SECOND, run: (now) => sweepTickets(deps, now) },
  ]
  const stopping = new AbortController()
  const deliveries = new Deliveries(deps, { isPressed: () => ledger.isPressed, policy: deliveryPolicy })
  const running = jobs.map((job) => repeat(deps, job, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all([...running, deliveries.stop()])
    },
  }
}

/** One run at a time of each job. A failure is logged and does not end the series. */
async function repeat({ clock, log }: Deps, job: Job, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await job.run(clock.now())
    } catch (error) {
      log.error({ err: error, job: job.name }, 'a job failed')
    }
    await pause(job.everyMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
