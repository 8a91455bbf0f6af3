import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, Tx } from './store.ts'

const ATTEMPTS = 5

/** Tries again what lost to another transaction. */
export async function retryBusy<T>(engine: Pick<Engine, 'isBusy'>, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !engine.isBusy(error)) throw error
      await pause(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** `work` may run more than once and must touch only `tx`. */
export const transaction = <T>(engine: Engine, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryBusy(engine, () => engine.db.transaction().execute(work))
