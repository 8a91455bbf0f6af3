import { setPriority } from 'node:os'

type Reason = 'processor time' | 'memory' | 'crash'

/** The work passed a limit, or its process crashed: the input is to blame, and another try would end the same way. */
export class JobKilled extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(reason === 'crash' ? 'the process crashed' : `the work passed its limit of ${reason}`)
    this.name = 'JobKilled'
    this.reason = reason
  }
}

/** An error as it comes out of the process. */
export interface ThrownInJob {
  readonly name: string
  readonly message: string
  readonly code: string
}

/** The work itself threw. */
export class JobFailed extends Error {
  readonly thrown: ThrownInJob
  readonly code: string

  constructor(thrown: ThrownInJob) {
    super(thrown.message)
    this.name = 'JobFailed'
    this.thrown = thrown
    this.code = thrown.code
  }
}

const NEWLINE = 10

/** Puts lines together from the pieces in which a pipe hands them over. */
export class Lines {
  readonly #onLine: (line: string) => void
  #parts: Uint8Array[] = []
  /** Bytes of the line that has not ended yet. */
  pending = 0

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(bytes: Uint8Array): void {
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#keep(bytes.subarray(start, end))
      const line = Buffer.concat(this.#parts).toString('utf8')
      this.#parts = []
      this.pending = 0
      this.#onLine(line)
      start = end + 1
    }
    this.#keep(bytes.subarray(start))
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return
    this.#parts.push(part)
    this.pending += part.length
  }
}

/** Behind the server, whose votes cannot wait. Not at the very end: a stylesheet must be read under load too. */
const NICENESS = 10

/** The side of the child: one line of JSON in for each job, one line out, until standard input ends. */
export function serveJobs<Job>(handle: (job: Job) => unknown): void {
  setPriority(NICENESS)
  // systemd sends its signal to the whole group, but the job in hand must still be finished for the server.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const say = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`)
  const lines = new Lines((line) => {
    const { id, job } = JSON.parse(line) as { id: number; job: unknown }
    void (async () => handle(job as Job))().then(
      (value) => say({ id, value }),
      (error) => say({ id, thrown: describe(error) }),
    )
  })
  process.stdin.on('data', (bytes: Buffer) => lines.add(bytes))
  process.stdin.on('end', () => process.exit(0))
  say({ id: 0 })
}

function describe(error: unknown): ThrownInJob {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: '' }
  return { name: error.name, message: error.message, code: 'code' in error ? String(error.code) : '' }
}
