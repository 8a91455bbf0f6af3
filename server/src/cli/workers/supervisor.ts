// cli/workers: several processes of one server, and the process that supervises them.
import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessRole } from '../../app/process-role.ts'
import { PlainFailure } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Greeting } from '../demo/seed.ts'

/** A message from the supervisor to a worker. */
export type Order =
  | { readonly kind: 'start'; readonly how: WorkerStart }
  /** Another worker has taken this one's place: answer what is open, and end. */
  | { readonly kind: 'leave' }

export interface WorkerStart {
  readonly slot: number
  /** Null for the first worker, which takes PORT as it is. */
  readonly port: number | null
  /** Each worker has its own metrics. */
  readonly metricsPort: number | null
  readonly role: ProcessRole
  /** Creates the demo, and says how to reach it. */
  readonly greets: boolean
}

/** A message from a worker to the supervisor. */
export type Report =
  | { readonly kind: 'listening'; readonly port: number; readonly greeting: Greeting | null }
  | { readonly kind: 'failed'; readonly message: string; readonly isPlain: boolean }

export interface WorkerProcess {
  readonly pid: number
  send(order: Order): void
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
  readonly exited: Promise<number>
}

interface SupervisorDeps {
  readonly log: Log
  readonly spawn: (onReport: (report: Report) => void) => WorkerProcess
  /** How each worker starts, by its slot. */
  readonly describe: (slot: number) => Pick<WorkerStart, 'role' | 'metricsPort'>
  readonly count: number
  /** A worker that has not ended this long after it was told to is killed. */
  readonly killAfterMs: number
  /** Replaces the pause before a worker is started again, for tests. */
  readonly pauseMs?: (failures: number) => number
}

interface Slot {
  readonly number: number
  worker: Worker | null
  /** How often in a row its worker has died soon, or has not started. */
  failures: number
}

interface Worker {
  readonly slot: Slot
  readonly process: WorkerProcess
  readonly startedAt: number
  isListening: boolean
  /** A successor is starting or has started: no other worker has to take this one's place. */
  isReplaced: boolean
}

/** A worker that lived this long did not die of its start. */
const STEADY_MS = 10_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 10_000]

const pauseAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)

/** Keeps a fixed number of workers on one port: replaces those that die, and restarts or stops all of them. */
export class Supervisor {
  readonly #deps: SupervisorDeps
  readonly #slots: readonly Slot[]
  /** Every process that has not ended: also those that start and those that leave. */
  readonly #workers = new Set<Worker>()
  readonly #stopping = new AbortController()
  #port: number | null = null
  #greeting: Greeting | null = null
  #restart: Promise<void> | null = null

  constructor(deps: SupervisorDeps) {
    this.#deps = deps
    this.#slots = Array.from({ length: deps.count }, (_, number) => ({ number, worker: null, failures: 0 }))
  }

  get pids(): number[] {
    return this.#slots.flatMap(({ worker }) => (worker ? [worker.process.pid] : []))
  }

  /** The first worker alone migrates the database. If one does not start, none stays. */
  async start(): Promise<Greeting> {
    try {
      for (const slot of this.#slots) await this.#startWorker(slot)
    } catch (error) {
      await this.stop()
      throw error
    }
    if (!this.#greeting) throw new Error('no worker has greeted')
    return this.#greeting
  }

  /** Replaces one worker after another by a new process. A second call while one runs changes nothing. */
  restart(): Promise<void> {
    this.#restart ??= this.#restartAll().finally(() => {
      this.#restart = null
    })
    return this.#restart
  }

  /** True if every worker ended by itself and without a fault. */
  async stop(): Promise<boolean> {
    this.#stopping.abort()
    const ended = [...this.#workers].map(async (worker) => {
      // A worker that does not listen yet may have no handler for the signal.
      const { isListening } = worker
      const code = await this.#end(worker, () => worker.process.kill('SIGTERM'))
      return code === 0 || !isListening
    })
    return (await Promise.all(ended)).every((isGood) => isGood)
  }

  /** A second signal: no worker finishes its requests. Acknowledged votes are on the disk of the database. */
  stopAtOnce(): void {
    for (const { process } of this.#workers) process.kill('SIGKILL')
  }

  async #restartAll(): Promise<void> {
    // Wait until `start` has set #restart: if this ended before its first await, it would clear it too early.
    await Promise.resolve()
    const { log } = this.#deps
    log.info({ workers: this.#slots.length }, 'restarting the workers one by one')
    for (const slot of this.#slots) {
      if (!(await this.#succeed(slot))) return
    }
    log.info('all workers are restarted')
  }

  /** False if the restart must not go on. */
  async #succeed(slot: Slot): Promise<boolean> {
    if (this.#isStopping) return false
    const old = slot.worker
    // The worker of this slot has died, so a new process takes its place anyway.
    if (!old) return true
    old.isReplaced = true
    try {
      await this.#startWorker(slot)
    } catch (error) {
      old.isReplaced = false
      if (this.#isStopping) return false
      this.#deps.log.error({ err: error, worker: slot.number }, 'a worker has no successor: the restart ends here')
      if (!this.#workers.has(old)) this.#replaceLater(slot)
      return false
    }
    if (this.#isStopping) return false
    const successor = slot.worker
    if (this.#workers.has(old)) await this.#end(old, () => old.process.send({ kind: 'leave' }))
    if (this.#isStopping) return false
    if (slot.worker === successor) return true
    // A program that dies soon after its start must not replace the other workers too.
    this.#deps.log.error({ worker: slot.number }, 'a successor has died: the restart ends here')
    return false
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #end(worker: Worker, tell: () => void): Promise<number> {
    const { log, killAfterMs } = this.#deps
    tell()
    const late = setTimeout(() => {
      log.error({ worker: worker.slot.number, pid: worker.process.pid }, 'a worker does not end: it is killed')
      worker.process.kill('SIGKILL')
    }, killAfterMs)
    const code = await worker.process.exited
    clearTimeout(late)
    return code
  }

  async #startWorker(slot: Slot): Promise<void> {
    if (this.#isStopping) throw new Error('the server is stopping')
    const { spawn, describe } = this.#deps
    const answered = Promise.withResolvers<Extract<Report, { kind: 'listening' }>>()
    const process = spawn((report) => {
      if (report.kind === 'listening') answered.resolve(report)
      else answered.reject(report.isPlain ? new PlainFailure(report.message) : new Error(report.message))
    })
    const startedAt = performance.now()
    const worker = { slot, process, startedAt, isListening: false, isReplaced: false }
    this.#workers.add(worker)
    void process.exited.then((code) => {
      this.#afterEnd(worker, code)
      answered.reject(new Error(`a worker ended with ${code} before it listened`))
    })
    const greets = this.#greeting === null
    process.send({ kind: 'start', how: { slot: slot.number, port: this.#port, greets, ...describe(slot.number) } })
    const { port, greeting } = await answered.promise
    this.#port = port
    this.#greeting ??= greeting
    worker.isListening = true
    slot.worker = worker
  }

  #afterEnd(worker: Worker, code: number): void {
    const { slot, process, isListening, isReplaced, startedAt } = worker
    worker.isListening = false
    this.#workers.delete(worker)
    // `#startWorker` handles a worker that did not listen yet.
    if (this.#isStopping || !isListening || isReplaced) return
    this.#deps.log.error({ worker: slot.number, pid: process.pid, code }, 'a worker died: another one is started')
    slot.failures = performance.now() - startedAt >= STEADY_MS ? 0 : slot.failures + 1
    this.#replaceLater(slot)
  }

  #replaceLater(slot: Slot): void {
    slot.worker = null
    void this.#replace(slot)
  }

  async #replace(slot: Slot): Promise<void> {
    const { log, pauseMs = pauseAfter } = this.#deps
    const { signal } = this.#stopping
    while (!this.#isStopping && slot.worker === null) {
      const ms = pauseMs(slot.failures)
      // A stop aborts the pause.
      if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined)
      if (this.#isStopping) return
      try {
        await this.#startWorker(slot)
      } catch (error) {
        if (this.#isStopping) return
        slot.failures++
        log.error({ err: error, worker: slot.number }, 'a worker did not start: it is tried again')
      }
    }
  }
}
