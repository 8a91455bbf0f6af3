import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import { ownCommand } from '../own-program.ts'
import { JobFailed, JobKilled, linesOf, type ThrownInJob } from './job.ts'

/** Usage of a process with all its threads, since its start. */
interface Usage {
  readonly cpuMs: number
  readonly memoryBytes: number
}

/** The kernel shows times in hundredths of a second, on every architecture. */
const TICK_MS = 10
/** Field indexes in /proc/PID/stat, counted from the state, which follows the name. */
const [USER_TIME, SYSTEM_TIME] = [11, 12]

/** Null if unknown: the process is gone, or the system is not Linux. */
export async function usageOf(pid: number): Promise<Usage | null> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ])
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])
    return { cpuMs: ticks * TICK_MS, memoryBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024 }
  } catch {
    return null
  }
}

export interface Limits {
  readonly cpuMs: number
  readonly memoryBytes: number
}

const LOOK_EVERY_MS = 25
/** Where processor time cannot be read, a clock on the wall stands for it. */
const SLACK = 3
const START_WITHIN_MS = 20_000
/** A card has some 100 KB, a printed stylesheet a few times that. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024
/** None of the server's: no secret. The heap is collected as on a small machine, and the process ends with the server. */
const ENVIRONMENT = { BUN_JSC_forceRAMSize: String(512 * 1024 ** 2), BUN_OPTIONS: '--no-orphans' }

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly thrown?: ThrownInJob
}

type Child = Bun.Subprocess<'pipe', 'pipe', 'ignore'>

/** A child process that does one job at a time, and is killed when a job passes its limits. */
export class IsolatedChild {
  readonly #child: Child
  #awaited: { id: number; resolve: (value: unknown) => void; reject: (error: unknown) => void } | null = null
  #ids = 0
  /** Why it ended; null while it lives. */
  #end: Error | null = null

  private constructor(entry: URL) {
    // In our own folder: a relative DATA_DIR has to name the same files there.
    this.#child = Bun.spawn(ownCommand(entry), {
      env: ENVIRONMENT,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    this.#child.unref()
    void this.#listen()
  }

  /** Resolves when its modules are loaded: their time counts against no job. */
  static async start(entry: URL): Promise<IsolatedChild> {
    const started = new IsolatedChild(entry)
    const ready = started.#next(0)
    const late = setTimeout(
      () => started.kill(unavailable(1, { reason: 'a process took too long to start' })),
      START_WITHIN_MS,
    )
    try {
      await ready
      return started
    } catch (error) {
      // No job has reached it, so no input is to blame.
      throw error instanceof JobKilled ? unavailable(1, { reason: 'a process did not start', cause: error }) : error
    } finally {
      clearTimeout(late)
    }
  }

  get pid(): number {
    return this.#child.pid
  }

  get isAlive(): boolean {
    return this.#end === null
  }

  async run(job: unknown, limits: Limits): Promise<unknown> {
    const before = await usageOf(this.pid)
    const id = ++this.#ids
    const answer = this.#next(id)
    // It may be rejected before it is awaited below.
    answer.catch(() => undefined)
    const watching = new AbortController()
    void this.#watch(limits, { before, signal: watching.signal })
    try {
      this.#child.stdin.write(`${JSON.stringify({ id, job })}\n`)
      await this.#child.stdin.flush()
    } catch {
      // The process is gone or has closed its input: its exit tells whether the job is to blame.
      await this.#killByExit()
    }
    try {
      return await answer
    } finally {
      watching.abort()
    }
  }

  /** Fails the job in hand with `why`. */
  kill(why: Error): void {
    this.#end ??= why
    this.#child.kill('SIGKILL')
    this.#awaited?.reject(this.#end)
    this.#awaited = null
  }

  #next(id: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (this.#end) reject(this.#end)
    else this.#awaited = { id, resolve, reject }
    return promise
  }

  async #listen(): Promise<void> {
    try {
      for await (const line of linesOf(this.#child.stdout, MOST_ANSWER_BYTES)) this.#hear(line)
    } finally {
      await this.#killByExit()
    }
  }

  /** For a process that no longer reads or writes: waits briefly for its exit, then fails the job with the reason. */
  async #killByExit(): Promise<void> {
    const isGone = await Promise.race([this.#child.exited.then(() => true), pause(1_000, false, { ref: false })])
    // The kernel kills without us only where the machine has no memory left: no fault of the input.
    const isKilled = isGone && this.#child.signalCode === 'SIGKILL'
    this.kill(isKilled ? unavailable(1, { reason: 'a process was killed' }) : new JobKilled('crash'))
  }

  #hear(line: string): void {
    const answer = parse(line)
    const awaited = this.#awaited
    this.#awaited = null
    if (!answer || answer.id !== awaited?.id) {
      awaited?.reject(new JobKilled('crash'))
      this.kill(new JobKilled('crash'))
    } else if (answer.thrown) awaited.reject(new JobFailed(answer.thrown))
    else awaited.resolve(answer.value)
  }

  async #watch(limits: Limits, { before, signal }: { before: Usage | null; signal: AbortSignal }): Promise<void> {
    const startedAt = performance.now()
    while (this.isAlive) {
      await pause(LOOK_EVERY_MS, undefined, { ref: false })
      const now = await usageOf(this.pid)
      if (signal.aborted) return
      const cpuMs = now && before ? now.cpuMs - before.cpuMs : (performance.now() - startedAt) / SLACK
      if (cpuMs > limits.cpuMs) this.kill(new JobKilled('processor time'))
      else if (now && now.memoryBytes > limits.memoryBytes) this.kill(new JobKilled('memory'))
    }
  }
}

function parse(line: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(line)
    return typeof answer === 'object' && answer !== null && 'id' in answer ? (answer as Answer) : null
  } catch {
    return null
  }
}
