import { setImmediate as nextTurn } from 'node:timers/promises'

const BUDGET_MS = 500

/** Repeats `batch` while it says that more is left, for as long as a job may take; requests get their turns between. */
export async function inBatches(batch: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + BUDGET_MS
  while ((await batch()) && performance.now() < end) await nextTurn()
}
