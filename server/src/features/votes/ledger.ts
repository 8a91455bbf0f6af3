import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Engine } from '../../db/store.ts'
import { retryBusy } from '../../db/transaction.ts'
import type { Ballot, Counted } from '../../db/vote-store.ts'
import { decide, type Outcome } from './decide.ts'

const LARGEST_GROUP = 256
const LONGEST_QUEUE = 20_000

interface Waiting {
  readonly ballot: Ballot
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

interface LedgerDeps {
  readonly engine: Engine
  readonly log: Log
  /** Told what each group left of the tallies, once it is committed and before anybody is answered. */
  readonly onCommitted: (counted: ReadonlyMap<number, Counted>) => void
  /** Told of the polls of a group that failed: its commit may have taken effect all the same. */
  readonly onUncertain: (pollKeys: ReadonlySet<number>) => void
  readonly largestGroup?: number
  readonly longestQueue?: number
}

/**
 * Votes that arrive together are committed together: a group collects while the one before it commits, and for one
 * turn of the event loop. Each caller is answered after the commit that holds its vote.
 */
export class Ledger {
  readonly #deps: LedgerDeps
  readonly #largestGroup: number
  readonly #longestQueue: number
  #waiting: Waiting[] = []
  #running: Promise<void> | null = null

  constructor(deps: LedgerDeps) {
    this.#deps = deps
    this.#largestGroup = deps.largestGroup ?? LARGEST_GROUP
    this.#longestQueue = deps.longestQueue ?? LONGEST_QUEUE
  }

  cast(ballot: Ballot): Promise<Outcome> {
    if (this.#waiting.length >= this.#longestQueue) return Promise.reject(unavailable())
    const outcome = new Promise<Outcome>((resolve, reject) => {
      this.#waiting.push({ ballot, resolve, reject })
    })
    this.#running ??= this.#run()
    return outcome
  }

  /** Resolves when everything handed in so far has been answered. */
  async drain(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop: whatever lies in the sockets by now joins the group. A lone vote waits for
      // nothing else.
      await nextTurn()
      await this.#settle(this.#waiting.splice(0, this.#largestGroup))
    }
    this.#running = null
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    const { engine, log, onUncertain } = this.#deps
    try {
      const outcomes = await this.#commit(group.map(({ ballot }) => ballot))
      for (const [i, { resolve }] of group.entries()) resolve(outcomes[i] as Outcome)
    } catch (error) {
      onUncertain(new Set(group.map(({ ballot }) => ballot.pollKey)))
      const parts = engine.isHeld(error) ? byPoll(group) : group.map((waiting) => [waiting])
      const isHopeless = engine.isUnavailable(error) || engine.isBusy(error)
      if (parts.length === 1 || (isHopeless && !engine.isHeld(error))) {
        for (const { reject } of group) reject(error)
        return
      }
      log.error(
        { err: error, votes: group.length, parts: parts.length },
        'a group of votes failed: each is tried alone',
      )
      for (const part of parts) await this.#settle(part)
    }
  }

  async #commit(ballots: readonly Ballot[]): Promise<readonly Outcome[]> {
    const { engine, onCommitted } = this.#deps
    const { counted, outcomes } = await retryBusy(engine, () =>
      engine.votes.commit(ballots, (facts) => decide(ballots, facts)),
    )
    onCommitted(counted)
    return outcomes
  }
}

/** The votes of a poll whose row is held by somebody must not hold up those of the others. */
const byPoll = (group: readonly Waiting[]): Waiting[][] => [
  ...Map.groupBy(group, ({ ballot }) => ballot.pollKey).values(),
]
