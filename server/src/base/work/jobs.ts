// base/work: work that repeats, waits, or must run once at a time.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

export interface Job {
  readonly name: string
  /** The pause between the end of a run and the beginning of the next one. */
  readonly everyMs: number
  /** The pause after a run that left no work, for a job that is woken when there is some. */
  readonly restMs?: number | undefined
  /** True if the run stopped before its work was done; the next run continues it. */
  run(now: number): Promise<boolean> | Promise<void>
}

interface Scheduled {
  readonly job: Job
  dueAt: number
  running: Promise<boolean> | null
  hasFailed: boolean
  isWoken: boolean
  wake: () => void
}

interface JobsDeps {
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** Repeating jobs. Each has at most one run at a time; a failed run is logged and does not end the series. */
export class Jobs {
  readonly #deps: JobsDeps
  readonly #jobs: readonly Scheduled[]
  readonly #stopping = new AbortController()
  #loops: readonly Promise<void>[] = []

  constructor(deps: JobsDeps, jobs: readonly Job[]) {
    this.#deps = deps
    this.#jobs = jobs.map((job) => ({
      job,
      dueAt: Number.NEGATIVE_INFINITY,
      running: null,
      hasFailed: false,
      isWoken: false,
      wake: () => undefined,
    }))
  }

  /** The names of jobs whose last run failed. */
  get failing(): string[] {
    return this.#jobs.filter(({ hasFailed }) => hasFailed).map(({ job }) => job.name)
  }

  /** The job runs as soon as its pause `everyMs` is over, however long it would rest. */
  wake(name: string): void {
    const each = this.#jobs.find(({ job }) => job.name === name)
    if (!each) return
    each.isWoken = true
    each.wake()
  }

  /** Runs every job by real time. Each has its own timer, so that a slow job delays no other. */
  start(): void {
    this.#loops = this.#jobs.map((each) => this.#repeat(each))
  }

  /**
   * Runs each job that is due by `now` until its work is done, and resolves when all have ended. Jobs run one after another
   * in a fixed order, so that tests are repeatable. A job is due `everyMs` after its last run ended, by the clock.
   */
  async runDue(now: number = this.#deps.clock.now()): Promise<void> {
    for (const each of this.#jobs) {
      while (each.running) await each.running
      if (each.dueAt > now) continue
      while (await this.#run(each, now));
    }
  }

  /** Resolves when the current runs have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#loops, ...this.#jobs.map(({ running }) => running)])
  }

  /** Timed by timers, not by the clock: a system clock that is set back must not stop the jobs. */
  async #repeat(each: Scheduled): Promise<void> {
    const { signal } = this.#stopping
    const { everyMs, restMs = everyMs } = each.job
    while (!signal.aborted) {
      each.isWoken = false
      const isMore = await this.#run(each, this.#deps.clock.now())
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!isMore && !each.hasFailed) await this.#untilWoken(each, restMs - everyMs)
    }
  }

  async #untilWoken(each: Scheduled, mostMs: number): Promise<void> {
    const { signal } = this.#stopping
    if (each.isWoken || mostMs <= 0 || signal.aborted) return
    const resting = new AbortController()
    each.wake = () => resting.abort()
    const ended = AbortSignal.any([signal, resting.signal])
    await pause(mostMs, undefined, { signal: ended, ref: false }).catch(() => undefined)
    each.wake = () => undefined
  }

  async #run(each: Scheduled, now: number): Promise<boolean> {
    each.running = this.#runOnce(each, now)
    const isMore = await each.running
    each.running = null
    each.dueAt = Math.max(now, this.#deps.clock.now()) + each.job.everyMs
    return isMore
  }

  async #runOnce(each: Scheduled, now: number): Promise<boolean> {
    const { job } = each
    try {
      const isMore = (await job.run(now)) === true
      each.hasFailed = false
      return isMore
    } catch (error) {
      each.hasFailed = true
      this.#deps.log.error({ err: error, job: job.name }, 'a job failed')
      return false
    }
  }
}

const BUDGET_MS = 500

/**
 * Repeats `batch` while it returns that more is left and the job's time is not used up, and yields to requests in between.
 * True if the time ran out first. Tests pass a stopwatch, so that their result does not depend on the machine's load.
 */
export async function inBatches(
  batch: () => Promise<boolean>,
  stopwatch: () => number = () => performance.now(),
): Promise<boolean> {
  const end = stopwatch() + BUDGET_MS
  while (await batch()) {
    if (stopwatch() >= end) return true
    await nextTurn()
  }
  return false
}
