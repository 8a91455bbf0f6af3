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

/**
 * The lines that a pipe hands over in pieces, until it ends or holds a line that is too long. Each side sends one line and
 * waits for the answer, so a line ends where a piece does.
 */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>, mostBytes = Number.POSITIVE_INFINITY) {
  let parts: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    parts.push(piece)
    bytes += piece.length
    if (bytes > mostBytes) return
    if (piece.at(-1) !== NEWLINE) continue
    yield Buffer.concat(parts).toString('utf8')
    parts = []
    bytes = 0
  }
}

/** Behind the server, whose votes cannot wait. Not at the very end: a stylesheet must be read under load too. */
const NICENESS = 10

/** The side of the child: one line of JSON in for each job, one line out, until standard input ends. */
export async function serveJobs<Job>(handle: (job: Job) => unknown): Promise<void> {
  setPriority(NICENESS)
  // systemd sends its signal to the whole group, but the job in hand must still be finished for the server.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const say = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`)
  say({ id: 0 })
  for await (const line of linesOf(process.stdin)) {
    const { id, job } = JSON.parse(line) as { id: number; job: Job }
    try {
      say({ id, value: await handle(job) })
    } catch (error) {
      say({ id, thrown: describe(error) })
    }
  }
  process.exit(0)
}

function describe(error: unknown): ThrownInJob {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: '' }
  return { name: error.name, message: error.message, code: 'code' in error ? String(error.code) : '' }
}
