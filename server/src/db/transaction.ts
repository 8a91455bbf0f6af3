import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, Tx } from './store.ts'

const ATTEMPTS = 5
const LONGEST_PAUSE_MS = 200

/** Tries again what lost to another transaction, five times and for as long as the engine is patient. */
export async function retryBusy<T>(
  { isBusy, patienceMs = 0 }: Pick<Engine, 'isBusy' | 'patienceMs'>,
  work: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + patienceMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isLast = attempt >= ATTEMPTS && performance.now() >= end
      if (isLast || !isBusy(error)) throw error
      await pause(Math.random() * Math.min(10 * 2 ** attempt, LONGEST_PAUSE_MS))
    }
  }
}

/** `work` may run more than once and must touch only `tx`. */
export const transaction = <T>(engine: Engine, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryBusy(engine, () => engine.db.transaction().execute(work))
