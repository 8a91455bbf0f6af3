import { setTimeout as pause } from 'node:timers/promises'

const SHORTEST_REST_MS = 20

/**
 * Rests after a batch that left more for as long as the batch took: while it runs, SQLite takes no votes, of any brand and from
 * any process.
 */
export async function paced(batch: () => Promise<boolean>): Promise<boolean> {
  const began = performance.now()
  const isMore = await batch()
  if (isMore) await pause(Math.max(SHORTEST_REST_MS, performance.now() - began))
  return isMore
}
