import { constants } from 'node:os'

type Undo = () => unknown

const undo: Undo[] = []

/** Done at the end of the run, the last first, also when the run is interrupted or fails. */
export function atEnd(work: Undo): void {
  undo.push(work)
}

async function cleanUp(): Promise<void> {
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.stderr.write('\ncleaning up\n')
      void cleanUp().finally(() => process.exit(128 + constants.signals[signal]))
    })
  }
  try {
    process.exitCode = await work()
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
    process.exitCode = 1
  } finally {
    await cleanUp()
  }
}
