// base/isolation: runs work on what others wrote in child processes that can be killed. See docs/decisions/015.

import { unavailable } from '../errors.ts'
import type { Log } from '../log.ts'
import { OnDemandLoop } from '../work/on-demand-loop.ts'
import { IsolatedChild, type Limits, usageOf } from './isolated-child.ts'
import { JobKilled } from './job.ts'

export interface WorkSpec extends Limits {
  /** For the log. */
  readonly name: string
  /** A module that calls `serveJobs`. */
  readonly entry: URL
  readonly mostWaiting?: number
  readonly idleMs?: number
  /** Asked before each job and told after it. */
  readonly pace?: Pace
}

export interface Pace {
  ready(): Promise<void>
  ended(tookMs: number): void
}

interface JobLimits {
  /** Waiting for its turn and the work together; then 503. */
  readonly withinMs: number
  /** A job is not begun for a caller who has left. */
  readonly signal?: AbortSignal | undefined
}

interface Waiting {
  readonly job: unknown
  readonly signal: AbortSignal | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  isOver: boolean
}

const MOST_WAITING = 64
const IDLE_MS = 60_000
const MOST_JOBS = 1_000
const RETRY_SECONDS = 2

/** One process for one kind of work, one job at a time: started when it is needed, ended when it is idle. */
export class IsolatedWork<Job, Result> {
  readonly #spec: WorkSpec
  readonly #log: Pick<Log, 'warn'>
  readonly #waiting: Waiting[] = []
  #process: IsolatedChild | null = null
  #jobs = 0
  #current: Waiting | null = null
  #isClosed = false
  #idle: NodeJS.Timeout | undefined
  readonly #loop = new OnDemandLoop(
    () => this.#serveAll(),
    (error) => this.#log.warn({ err: error, work: this.#spec.name }, 'a process could not be looked after'),
  )

  constructor(spec: WorkSpec, log: Pick<Log, 'warn'>) {
    this.#spec = spec
    this.#log = log
  }

  /** Null while there is none. */
  get pid(): number | null {
    return this.#process?.isAlive ? this.#process.pid : null
  }

  /** Rejects with `JobKilled` where the input is to blame, with `JobFailed` where the work threw, and else with 503. */
  async run(job: Job, { withinMs, signal }: JobLimits): Promise<Result> {
    const { name, mostWaiting = MOST_WAITING } = this.#spec
    if (this.#isClosed) throw unavailable(RETRY_SECONDS, { reason: `${name} is closed` })
    if (this.#waiting.length >= mostWaiting) throw unavailable(RETRY_SECONDS, { reason: `too many wait for ${name}` })
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const waiting = { job, signal, resolve, reject, isOver: false }
    const late = setTimeout(() => {
      this.#giveUp(waiting, unavailable(RETRY_SECONDS, { reason: `${name} took too long` }))
    }, withinMs)
    this.#waiting.push(waiting)
    this.#loop.start()
    try {
      return (await promise) as Result
    } finally {
      clearTimeout(late)
      waiting.isOver = true
    }
  }

  close(): void {
    this.#isClosed = true
    const error = unavailable(RETRY_SECONDS, { reason: 'the server stops' })
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error)
    this.#end(error)
  }

  #giveUp(waiting: Waiting, error: Error): void {
    const place = this.#waiting.indexOf(waiting)
    if (place >= 0) this.#waiting.splice(place, 1)
    if (this.#current === waiting) this.#end(error)
    waiting.reject(error)
  }

  async #serveAll(): Promise<void> {
    clearTimeout(this.#idle)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#spec.pace?.ready()
      await this.#serve(next)
    }
    this.#idle = setTimeout(() => this.#end(new Error('idle')), this.#spec.idleMs ?? IDLE_MS).unref()
  }

  async #serve(waiting: Waiting): Promise<void> {
    if (waiting.isOver) return
    if (waiting.signal?.aborted) return waiting.reject(waiting.signal.reason)
    this.#current = waiting
    let startedAt = performance.now()
    try {
      const process = await this.#started()
      startedAt = performance.now()
      // The caller may have given up while the process started.
      if (!waiting.isOver) waiting.resolve(await process.run(waiting.job, this.#spec))
    } catch (error) {
      if (error instanceof JobKilled)
        this.#log.warn({ work: this.#spec.name, reason: error.reason }, 'work was given up')
      waiting.reject(error)
    }
    this.#current = null
    this.#spec.pace?.ended(performance.now() - startedAt)
    await this.#renewWhereWorn()
  }

  async #started(): Promise<IsolatedChild> {
    if (this.#process?.isAlive) return this.#process
    this.#jobs = 0
    const started = await IsolatedChild.start(this.#spec.entry)
    if (this.#isClosed) started.kill(unavailable(RETRY_SECONDS, { reason: 'the server stops' }))
    this.#process = started
    return started
  }

  /** Memory left by earlier jobs must not count against the next one. */
  async #renewWhereWorn(): Promise<void> {
    if (!this.#process?.isAlive) return
    const usage = ++this.#jobs < MOST_JOBS ? await usageOf(this.#process.pid) : null
    const isWorn = this.#jobs >= MOST_JOBS || (usage !== null && usage.memoryBytes > this.#spec.memoryBytes / 2)
    if (isWorn) this.#end(new Error('worn'))
  }

  #end(why: Error): void {
    this.#process?.kill(why)
    this.#process = null
  }
}

/** All processes of a server, so that they end with it. */
export class Isolation {
  readonly #log: Pick<Log, 'warn'>
  readonly #works: IsolatedWork<unknown, unknown>[] = []

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  open<Job, Result>(spec: WorkSpec): IsolatedWork<Job, Result> {
    const work = new IsolatedWork<Job, Result>(spec, this.#log)
    this.#works.push(work as IsolatedWork<unknown, unknown>)
    return work
  }

  /** Ends every process, also one that is at work. */
  close(): void {
    for (const work of this.#works) work.close()
  }
}
