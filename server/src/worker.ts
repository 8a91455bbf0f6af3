import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from './base/clock.ts'
import type { Deps } from './deps.ts'
import { removeExpired } from './expiry.ts'
import type { Popularity } from './features/votes/popularity.ts'
import { removeDeletedVotes } from './features/votes/remove-deleted-votes.ts'

interface Job {
  readonly name: string
  readonly everyMs: number
  run(now: number): Promise<void>
}

export interface Worker {
  /** Resolves when the jobs that run now have finished. */
  stop(): Promise<void>
}

export function startWorker(deps: Deps, popularity: Popularity): Worker {
  const { engine } = deps
  const jobs: Job[] = [
    { name: 'popularity', everyMs: 2 * SECOND, run: (now) => popularity.refresh(now) },
    { name: 'expiry', everyMs: 5 * SECOND, run: (now) => removeExpired(engine, now) },
    { name: 'deleted votes', everyMs: 5 * SECOND, run: () => removeDeletedVotes(engine) },
  ]
  const stopping = new AbortController()
  const running = jobs.map((job) => repeat(deps, job, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
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
