import { constants } from 'node:os'

type Undo = () => unknown

const LATE_MS = 5_000
const undo: Undo[] = []

/** Clean-up steps, run in reverse order at the end, also if the run is interrupted or fails. */
export function atEnd(work: Undo): void {
  undo.push(work)
}

let cleaning: Promise<void> = Promise.resolve()

function cleanUp(): Promise<void> {
  cleaning = cleaning.then(undoAll)
  return cleaning
}

async function undoAll(): Promise<void> {
  for (let work = undo.pop(); work; work = undo.pop()) {
    try {
      await work()
    } catch (error) {
      process.stderr.write(`while cleaning up: ${error instanceof Error ? error.message : error}\n`)
    }
  }
}

/** Runs the whole command and sets the exit code. */
export async function runToEnd(work: () => Promise<number>): Promise<void> {
  let isInterrupted = false
  const finished = Promise.withResolvers<void>()
  const interrupt = async () => {
    isInterrupted = true
    process.stderr.write('\ncleaning up\n')
    await cleanUp()
    // The work may not know of the interruption yet and still be creating something.
    await Promise.race([finished.promise, Bun.sleep(LATE_MS)])
    await cleanUp()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void interrupt().finally(() => process.exit(128 + constants.signals[signal])))
  }
  try {
    process.exitCode = await work()
  } catch (error) {
    // After an interruption, failures are only the effect of the clean-up.
    if (!isInterrupted) process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
    process.exitCode = 1
  } finally {
    await cleanUp()
    finished.resolve()
  }
}
