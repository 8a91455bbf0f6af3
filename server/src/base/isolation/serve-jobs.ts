import { setPriority } from 'node:os'
import type { ThrownInJob } from './job-failures.ts'
import { Lines } from './lines.ts'

/** Behind the server, whose votes cannot wait. Not at the very end: a stylesheet must be read under load too. */
const NICENESS = 10

interface Request {
  readonly id: number
  readonly job: unknown
}

/** The side of the child: one line of JSON in for each job, one line out, until standard input ends. */
export function serveJobs<Job>(handle: (job: Job) => unknown): void {
  setPriority(NICENESS)
  // systemd sends its signal to the whole group, but the job in hand must still be finished for the server.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const say = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`)
  const lines = new Lines((line) => {
    const { id, job } = JSON.parse(line) as Request
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
