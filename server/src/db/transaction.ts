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

type Effect = () => void

const effects = new WeakMap<Tx, Effect[]>()

/** Runs `effect` when the transaction is durable, and never if it fails. A lost answer to a commit counts as failure. */
export function onCommit(tx: Tx, effect: Effect): void {
  effects.get(tx)?.push(effect)
}

/** `work` may run more than once and must touch only `tx`. */
export const transaction = <T>(engine: Engine, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryBusy(engine, async () => {
    const following: Effect[] = []
    const result = await engine.db.transaction().execute((tx) => {
      effects.set(tx, following)
      return work(tx)
    })
    for (const effect of following) effect()
    return result
  })

/** As `transaction`, for what can be done again: nobody waits until it is durable. */
export const relaxedTransaction = <T>(engine: Engine, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryBusy(engine, () => engine.relaxed(work))
