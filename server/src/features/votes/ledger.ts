import { unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Engine } from '../../db/store.ts'
import type { Ballot, Outcome } from './commit-group.ts'

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
  readonly commitGroup: (ballots: readonly Ballot[]) => Promise<Outcome[]>
  readonly largestGroup?: number
  readonly longestQueue?: number
}

/**
 * Votes that arrive together are committed together: a group collects while the one before it commits, so that
 * a lone vote waits for nobody. Each caller is answered after the commit that holds its vote.
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
    // Requests already read from their sockets join the first group.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#largestGroup)
      await this.#settle(group)
    }
    this.#running = null
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#deps.commitGroup(group.map(({ ballot }) => ballot))
      for (const [i, { resolve }] of group.entries()) resolve(outcomes[i] as Outcome)
    } catch (error) {
      if (group.length === 1 || this.#deps.engine.isUnavailable(error)) {
        for (const { reject } of group) reject(error)
        return
      }
      this.#deps.log.error({ err: error, votes: group.length }, 'a group of votes failed: each is tried alone')
      for (const waiting of group) await this.#settle([waiting])
    }
  }
}
