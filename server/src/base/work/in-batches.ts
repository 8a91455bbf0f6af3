import { setImmediate as nextTurn } from 'node:timers/promises'

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
