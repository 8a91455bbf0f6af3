import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, Tx } from './store.ts'

const ATTEMPTS = 5

/** Retries what lost to another transaction: `work` may therefore run more than once and must touch only `tx`. */
export async function transaction<T>(engine: Engine, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await engine.db.transaction().execute(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !engine.isBusy(error)) throw error
      await pause(Math.random() * 10 * 2 ** attempt)
    }
  }
}
