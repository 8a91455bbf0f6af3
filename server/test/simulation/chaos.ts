import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KyselyPlugin, PluginTransformResultArgs, QueryResult, UnknownRow } from 'kysely'
import type { Db, Engine, Tx } from '../../src/db/store.ts'
import { OutcomeUnknown, type VoteStore } from '../../src/db/vote-store.ts'
import { Dice } from '../random-css.ts'

/** One wait in this many fails. */
const FAILURE_ONE_IN = 25
const MOST_TURNS = 3

/** The database failed, as it does when a connection breaks or a disk is full. */
export class Disturbance extends Error {}

/** Decides by a seed how long each wait lasts and where it fails, so that one number repeats a whole run. */
export class Chaos {
  #dice = new Dice(0)
  #isCalm = true
  failures = 0

  begin(seed: number): void {
    this.#dice = new Dice(seed)
    this.#isCalm = false
  }

  end(): void {
    this.#isCalm = true
  }

  below(count: number): number {
    return this.#dice.below(count)
  }

  /** Lets others run: sometimes not at all, sometimes for several turns of the event loop. */
  async turns(): Promise<void> {
    if (this.#isCalm) return
    for (let left = this.below(MOST_TURNS + 1); left > 0; left--) await nextTurn()
  }

  mayFail(): void {
    if (this.#isCalm || this.below(FAILURE_ONE_IN) > 0) return
    this.failures++
    throw new Disturbance('disturbed by the simulation')
  }
}

/** The same database, with a wait and a possible failure before and after every statement and every commit. */
export function disturbed(engine: Engine, chaos: Chaos): Engine {
  const plugin = new ChaosPlugin(chaos)
  const disturbedTx = (tx: Tx): Tx => tx.withPlugin(plugin) as Tx
  const committing = async <T>(begin: () => Promise<T>): Promise<T> => {
    await chaos.turns()
    chaos.mayFail()
    const result = await begin()
    await chaos.turns()
    // It is stored, and nobody is told.
    chaos.mayFail()
    return result
  }
  const db = withTransactions(engine.db.withPlugin(plugin), (work) =>
    committing(() => engine.db.transaction().execute((tx) => work(disturbedTx(tx)))),
  )
  return {
    ...engine,
    db,
    relaxed: (work) => committing(() => engine.relaxed((tx) => work(disturbedTx(tx)))),
    votes: disturbedVotes(engine.votes, chaos),
    isUnavailable: (error) => error instanceof Disturbance || engine.isUnavailable(error),
  }
}

function disturbedVotes(votes: VoteStore, chaos: Chaos): VoteStore {
  return {
    probe: () => votes.probe(),
    async commit(ballots, decide, options) {
      await chaos.turns()
      chaos.mayFail()
      const { decision, durable } = await votes.commit(ballots, decide, options)
      const told = async () => {
        await durable
        await chaos.turns()
        try {
          chaos.mayFail()
        } catch (error) {
          throw new OutcomeUnknown('disturbed by the simulation', { cause: error })
        }
      }
      return { decision, durable: told() }
    },
  }
}

type Begin = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

/** Kysely has private fields, so its methods need the object itself. */
const withTransactions = (db: Db, begin: Begin): Db =>
  new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') return () => ({ execute: begin })
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

class ChaosPlugin implements KyselyPlugin {
  readonly #chaos: Chaos

  constructor(chaos: Chaos) {
    this.#chaos = chaos
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => {
    this.#chaos.mayFail()
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    await this.#chaos.turns()
    this.#chaos.mayFail()
    return result
  }
}
