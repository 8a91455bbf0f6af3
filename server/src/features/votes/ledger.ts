import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { OnDemandLoop } from '../../base/on-demand-loop.ts'
import type { Engine } from '../../db/store.ts'
import { retryBusy } from '../../db/transaction.ts'
import type { Ballot, Committing, Decision, GroupFacts } from '../../db/vote-store.ts'
import { decide, type Outcome } from './decide.ts'
import type { Raise, VoteEvents } from './vote-events.ts'

const LARGEST_GROUP = 256
const LONGEST_QUEUE = 20_000
/** Its caller would be told 503 before a group could be written: what is not begun by then is not stored. */
const LONGEST_WAIT_MS = 8_000
/** Where so many are committed together, they come faster than they could be committed one by one. */
const PRESSED_FROM = 16
const PRESSED_FOR_MS = 100

interface Waiting {
  readonly ballot: Ballot
  /** By `performance.now()`. */
  readonly since: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

interface LedgerDeps {
  readonly engine: Engine
  readonly log: Log
  /** Told what each group left of the tallies, once it is committed and before anybody is answered. */
  readonly onCommitted: (committed: Pick<Decision<Outcome>, 'counted' | 'raised'>) => void
  /** Told of the polls of a group that failed: its commit may have taken effect all the same. */
  readonly onUncertain: (pollKeys: ReadonlySet<number>) => void
  /** Who wants to be told of votes on these polls. */
  readonly prepareEvents?: VoteEvents['prepare']
  readonly largestGroup?: number
  readonly longestQueue?: number
  readonly longestWaitMs?: number
}

/**
 * Votes that arrive together are committed together: a group collects while the one before it is written. Each caller
 * is answered when the commit that holds its vote is durable, and the next group does not wait for that.
 */
export class Ledger {
  readonly #deps: LedgerDeps
  readonly #largestGroup: number
  readonly #longestQueue: number
  readonly #longestWaitMs: number
  readonly #unanswered = new Set<Promise<void>>()
  /** What became of the votes; `unavailable` are those that could not be stored, or found no place in the queue. */
  readonly counts: Record<Outcome['kind'] | 'unavailable', number> = {
    accepted: 0,
    already: 0,
    closed: 0,
    missing: 0,
    unavailable: 0,
  }
  groups = 0
  #waiting: Waiting[] = []
  #uncertain = 0
  readonly #loop = new OnDemandLoop(
    () => this.#run(),
    (error) => this.#deps.log.error({ err: error }, 'the ledger failed'),
  )
  #pressedAt = Number.NEGATIVE_INFINITY

  constructor(deps: LedgerDeps) {
    this.#deps = deps
    this.#largestGroup = deps.largestGroup ?? LARGEST_GROUP
    this.#longestQueue = deps.longestQueue ?? LONGEST_QUEUE
    this.#longestWaitMs = deps.longestWaitMs ?? LONGEST_WAIT_MS
  }

  /** Not answered yet. */
  get queueLength(): number {
    return this.#waiting.length + this.#uncertain
  }

  /** Votes wait for one another: what can wait for them, should. */
  get isPressed(): boolean {
    return performance.now() - this.#pressedAt < PRESSED_FOR_MS
  }

  cast(ballot: Ballot): Promise<Outcome> {
    if (this.queueLength >= this.#longestQueue) {
      this.counts.unavailable++
      return Promise.reject(unavailable())
    }
    const outcome = new Promise<Outcome>((resolve, reject) => {
      this.#waiting.push({ ballot, since: performance.now(), resolve, reject })
    })
    this.#loop.start()
    return outcome
  }

  /** Resolves when everything handed in so far has been answered. */
  async drain(): Promise<void> {
    await this.#loop.idle()
    while (this.#unanswered.size > 0) await Promise.all(this.#unanswered)
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather()
      if (this.#waiting.length >= PRESSED_FROM) this.#pressedAt = performance.now()
      this.#refuseLate()
      const group = this.#waiting.splice(0, this.#largestGroup)
      try {
        if (group.length > 0) await this.#settle(group)
      } catch (error) {
        // Every caller gets an answer, and the groups behind this one go on.
        this.#deps.log.error({ err: error, votes: group.length }, 'a group of votes failed and could not be recovered')
        this.#refuse(group, error)
      }
    }
  }

  /** Turns of the event loop, as long as each brings more: whatever lies in the sockets joins the group. */
  async #gather(): Promise<void> {
    let before = 0
    while (this.#waiting.length > before && this.#waiting.length < this.#largestGroup) {
      before = this.#waiting.length
      await nextTurn()
    }
  }

  /** After a stall. The queue is in the order of arrival. */
  #refuseLate(): void {
    const oldest = performance.now() - this.#longestWaitMs
    const late = this.#waiting.findIndex(({ since }) => since >= oldest)
    if (late === 0) return
    this.#refuse(this.#waiting.splice(0, late < 0 ? this.#waiting.length : late), unavailable())
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    const { engine } = this.#deps
    const ballots = group.map(({ ballot }) => ballot)
    try {
      const prepared = this.#deps.prepareEvents?.(new Set(ballots.map(({ pollKey }) => pollKey))) ?? null
      // Nothing is waited for that is there: a turn of the loop would part the votes that came together.
      const raise = prepared instanceof Promise ? await prepared : prepared
      const decided = (facts: GroupFacts) => decideAndTell(decide(ballots, facts), facts, raise)
      this.#answer(group, await retryBusy(engine, () => engine.votes.commit(ballots, decided)))
    } catch (error) {
      await this.#recover(group, error)
    }
  }

  /** Those who wait for their commit hold nobody up, and count as waiting. */
  #answer(group: readonly Waiting[], { decision, durable }: Committing<Outcome>): void {
    this.#uncertain += group.length
    const answered = durable
      .then(
        () => {
          this.#deps.onCommitted(decision)
          this.groups++
          for (const [i, { resolve }] of group.entries()) {
            const outcome = decision.outcomes[i] as Outcome
            this.counts[outcome.kind]++
            resolve(outcome)
          }
        },
        (error) => this.#recover(group, error),
      )
      .finally(() => {
        this.#uncertain -= group.length
        this.#unanswered.delete(answered)
      })
    this.#unanswered.add(answered)
  }

  async #recover(group: readonly Waiting[], error: unknown): Promise<void> {
    const { engine, log, onUncertain } = this.#deps
    onUncertain(new Set(group.map(({ ballot }) => ballot.pollKey)))
    const parts = engine.isHeld(error) ? byPoll(group) : group.map((waiting) => [waiting])
    const isHopeless = engine.isUnavailable(error) || engine.isBusy(error)
    if (parts.length === 1 || (isHopeless && !engine.isHeld(error))) {
      this.#refuse(group, error)
      return
    }
    log.error({ err: error, votes: group.length, parts: parts.length }, 'a group of votes failed: each is tried alone')
    for (const part of parts) await this.#settle(part)
  }

  #refuse(group: readonly Waiting[], error: unknown): void {
    this.counts.unavailable += group.length
    for (const { reject } of group) reject(error)
  }
}

const decideAndTell = (decision: Decision<Outcome>, facts: GroupFacts, raise: Raise | null): Decision<Outcome> =>
  raise && decision.votes.length > 0 ? { ...decision, raised: raise(decision, facts) } : decision

/** The votes of a poll whose row is held by somebody must not hold up those of the others. */
const byPoll = (group: readonly Waiting[]): Waiting[][] => [
  ...Map.groupBy(group, ({ ballot }) => ballot.pollKey).values(),
]
