import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, Tx } from './store.ts'

const ATTEMPTS = 5
const LONGEST_PAUSE_MS = 200

/** Retries work that lost to another transaction: at least five attempts, and for at least `patienceMs`. */
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

interface Effects {
  readonly committed: Effect[]
  readonly settled: Effect[]
}

const effectsOf = new WeakMap<Tx, Effects>()

/** Runs `effect` after the commit, and never if the transaction fails. A lost answer to the commit counts as a failure. */
export const onCommit = (tx: Tx, effect: Effect): void => {
  known(tx).committed.push(effect)
}

/** Runs `effect` after the commit, and also after a failure: a commit whose answer was lost may have taken effect. */
export const onSettled = (tx: Tx, effect: Effect): void => {
  known(tx).settled.push(effect)
}

function known(tx: Tx): Effects {
  const effects = effectsOf.get(tx)
  if (!effects) throw new Error('this transaction was not begun by transaction or relaxedTransaction')
  return effects
}

/** `work` may run more than once and must touch only `tx`. */
export const transaction = <T>(engine: Engine, work: Work<T>): Promise<T> =>
  withEffects(engine, work, (noted) => engine.db.transaction().execute(noted))

/** Like `transaction`, but does not wait until the commit is durable. For work that can be repeated. */
export const relaxedTransaction = <T>(engine: Engine, work: Work<T>): Promise<T> =>
  withEffects(engine, work, (noted) => engine.relaxed(noted))

type Work<T> = (tx: Tx) => Promise<T>

const withEffects = <T>(engine: Engine, work: Work<T>, execute: (noted: Work<T>) => Promise<T>): Promise<T> =>
  retryBusy(engine, async () => {
    const effects: Effects = { committed: [], settled: [] }
    try {
      const result = await execute((tx) => {
        effectsOf.set(tx, effects)
        return work(tx)
      })
      for (const effect of effects.committed) effect()
      return result
    } finally {
      for (const effect of effects.settled) effect()
    }
  })
