import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { Histogram } from '../../base/metrics-text.ts'
import { OnDemandLoop } from '../../base/work/on-demand-loop.ts'
import type { Engine } from '../../db/store.ts'
import { retryBusy } from '../../db/transaction.ts'
import type { Ballot, Committing, Decision, GroupFacts } from '../../db/vote-store.ts'
import { decide, type Outcome } from './decide.ts'
import type { Raise, VoteEvents } from './vote-events.ts'

const LARGEST_GROUP = 256
/** Beyond it votes are refused with 503. */
export const LONGEST_QUEUE = 20_000
/** Below the deadline of a request (`ANSWER_WITHIN_MS`). A vote that no group has taken by then is refused with 503, and is not stored. */
const LONGEST_WAIT_MS = 8_000
/** A group of this size means that votes arrive faster than single commits. */
const PRESSED_FROM = 16
const PRESSED_FOR_MS = 100
/** While a pause brings at least this part of the votes that wait, the next one follows. */
const WORTH_A_PAUSE = 1 / 8
const LISTENER_FAILED = 'a listener of the ledger failed'
/** In seconds, up to the longest wait. */
const WAIT_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface WaitingVote {
  readonly ballot: Ballot
  /** By `performance.now()`. */
  readonly since: number
  readonly answer: (outcome: Outcome) => void
  readonly fail: (error: unknown) => void
}

interface LedgerDeps {
  readonly engine: Engine
  readonly log: Log
  /** Called with the new tallies of a committed group, before any caller is answered. */
  readonly onCommitted: (committed: Pick<Decision<Outcome>, 'counted' | 'raised'>) => void
  /** Called with the polls of a failed group: its commit may still have taken effect. */
  readonly onUncertain: (pollKeys: ReadonlySet<number>) => void
  /** Prepares the events of votes on these polls. */
  readonly prepareEvents?: VoteEvents['prepare']
  readonly largestGroup?: number
  readonly longestQueue?: number
  readonly longestWaitMs?: number
}

/**
 * Commits votes that arrive together in one transaction: a group collects as long as each turn of the event loop brings more. Each caller
 * is answered when the commit of its vote is durable. The next group does not wait for that, unless it is small.
 */
export class Ledger {
  readonly #deps: LedgerDeps
  readonly #largestGroup: number
  readonly #longestQueue: number
  readonly #longestWaitMs: number
  readonly #unanswered = new Set<Promise<void>>()
  /** Counts of outcomes; `unavailable` counts votes that could not be stored or queued. */
  readonly counts: Record<Outcome['kind'] | 'unavailable', number> = {
    accepted: 0,
    already: 0,
    codeless: 0,
    invalidCode: 0,
    closed: 0,
    missing: 0,
    unproven: 0,
    unavailable: 0,
  }
  groups = 0
  /** From a vote's arrival until its commit is durable; votes that were answered 503 have none. */
  readonly waits = new Histogram(WAIT_BOUNDS)
  /** From a vote's arrival until its group begins. */
  readonly queued = new Histogram(WAIT_BOUNDS)
  #waiting: WaitingVote[] = []
  #awaitingSync = 0
  readonly #loop = new OnDemandLoop(
    () => this.#run(),
    (error) => this.#deps.log.error({ err: error }, 'the ledger failed'),
  )
  #pressedAt = Number.NEGATIVE_INFINITY
  #lastGroup = 0

  constructor(deps: LedgerDeps) {
    this.#deps = deps
    this.#largestGroup = deps.largestGroup ?? LARGEST_GROUP
    this.#longestQueue = deps.longestQueue ?? LONGEST_QUEUE
    this.#longestWaitMs = deps.longestWaitMs ?? LONGEST_WAIT_MS
  }

  /** Votes that are not answered yet. */
  get queueLength(): number {
    return this.#waiting.length + this.#awaitingSync
  }

  /** The next vote would be refused. */
  get isFull(): boolean {
    return this.queueLength >= this.#longestQueue
  }

  /** Votes arrive faster than they can be committed one by one: less urgent work should wait. */
  get isPressed(): boolean {
    return performance.now() - this.#pressedAt < PRESSED_FOR_MS
  }

  cast(ballot: Ballot): Promise<Outcome> {
    if (this.isFull) {
      this.counts.unavailable++
      return Promise.reject(unavailable(1, { reason: 'the queue of votes is full' }))
    }
    return new Promise((answer, fail) => {
      this.#waiting.push({ ballot, since: performance.now(), answer, fail })
      this.#loop.start()
    })
  }

  /** A vote failed before it came here, because its poll could not be read. */
  noteUnavailable(): void {
    this.counts.unavailable++
  }

  /** Resolves when all votes so far are answered. */
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
      this.#lastGroup = group.length
      const now = performance.now()
      for (const { since } of group) this.queued.observe((now - since) / 1_000)
      try {
        if (group.length > 0) await this.#settle(group)
      } catch (error) {
        // Every caller gets an answer, and the groups behind this one go on.
        this.#deps.log.error({ err: error, votes: group.length }, 'a group of votes failed and could not be recovered')
        this.#refuse(group, error)
      }
    }
  }

  /**
   * Yields to the event loop for as long as each turn brings more votes, so that all votes in the sockets join the group. While an
   * earlier group is being synced, a small group goes on gathering: one sync follows the other, so it could not be durable sooner.
   */
  async #gather(): Promise<void> {
    await this.#gatherTurns()
    while (this.#waiting.length < PRESSED_FROM && this.#unanswered.size > 0) await Promise.race(this.#unanswered)
    await this.#pause()
  }

  async #gatherTurns(): Promise<void> {
    let before = 0
    while (this.#waiting.length > before && this.#waiting.length < this.#largestGroup) {
      before = this.#waiting.length
      await nextTurn()
    }
  }

  /**
   * Where the database is far away, the votes that follow the answers to the last group would miss this one, and wait for all of
   * it. Two such groups would take turns for ever.
   */
  async #pause(): Promise<void> {
    const pauseMs = this.#deps.engine.votes.pauseMs?.() ?? 0
    if (pauseMs === 0 || this.#lastGroup + this.#waiting.length < PRESSED_FROM) return
    let before = 0
    while (this.#waiting.length < this.#largestGroup) {
      if (this.#waiting.length - before <= this.#waiting.length * WORTH_A_PAUSE) return
      before = this.#waiting.length
      await sleep(pauseMs)
    }
  }

  /** After a stall. The queue is in the order of arrival. */
  #refuseLate(): void {
    const oldest = performance.now() - this.#longestWaitMs
    const late = this.#waiting.findIndex(({ since }) => since >= oldest)
    if (late === 0) return
    const group = this.#waiting.splice(0, late < 0 ? this.#waiting.length : late)
    this.#refuse(group, unavailable(1, { reason: 'votes waited too long for their commit' }))
  }

  async #settle(group: readonly WaitingVote[]): Promise<void> {
    const { engine } = this.#deps
    const ballots = group.map(({ ballot }) => ballot)
    try {
      const prepared = this.#deps.prepareEvents?.(new Set(ballots.map(({ pollKey }) => pollKey))) ?? null
      // Awaits only a real promise: an extra turn of the loop would split votes that arrived together.
      const raise = prepared instanceof Promise ? await prepared : prepared
      const decided = (facts: GroupFacts) => withEvents(decide(ballots, facts), facts, raise)
      this.#answer(
        group,
        await retryBusy(engine, () => engine.votes.commit(ballots, decided, { mayDecideInDatabase: raise === null })),
      )
    } catch (error) {
      await this.#recover(group, error)
    }
  }

  /** Votes that wait for durability block nobody, and count towards the queue. */
  #answer(group: readonly WaitingVote[], { decision, durable }: Committing<Outcome>): void {
    this.#awaitingSync += group.length
    const answered = durable
      .then(
        () => {
          this.#tell(() => this.#deps.onCommitted(decision), LISTENER_FAILED)
          this.groups++
          const now = performance.now()
          for (let i = 0; i < group.length; i++) {
            const vote = group[i] as WaitingVote
            const outcome = decision.outcomes[i] as Outcome
            this.counts[outcome.kind]++
            this.waits.observe((now - vote.since) / 1_000)
            vote.answer(outcome)
          }
        },
        (error) => this.#recover(group, error),
      )
      .finally(() => {
        this.#awaitingSync -= group.length
        this.#unanswered.delete(answered)
      })
    this.#unanswered.add(answered)
  }

  async #recover(group: readonly WaitingVote[], error: unknown): Promise<void> {
    const { engine, log, onUncertain } = this.#deps
    this.#tell(() => onUncertain(new Set(group.map(({ ballot }) => ballot.pollKey))), LISTENER_FAILED)
    // A poll that somebody holds is no reason to refuse votes on the others; a database that is away refuses all.
    const isHeld = engine.isHeld(error)
    const isAway = !isHeld && (engine.isUnavailable(error) || engine.isBusy(error))
    const parts = isHeld ? byPoll(group) : group.map((waiting) => [waiting])
    if (isAway || parts.length === 1) {
      this.#refuse(group, error)
      return
    }
    log.error(
      { err: error, votes: group.length, parts: parts.length },
      'a group of votes failed: its parts are tried alone',
    )
    for (const part of parts) await this.#settle(part)
  }

  #refuse(group: readonly WaitingVote[], error: unknown): void {
    this.counts.unavailable += group.length
    for (const vote of group) vote.fail(error)
  }

  /** A caller or listener that throws must not keep other votes from their answers, nor the next ones from a group. */
  #tell(work: () => void, failure: string): void {
    try {
      work()
    } catch (err) {
      this.#deps.log.error({ err }, failure)
    }
  }
}

const withEvents = (decision: Decision<Outcome>, facts: GroupFacts, raise: Raise | null): Decision<Outcome> =>
  raise && decision.votes.length > 0 ? { ...decision, raised: raise(decision, facts) } : decision

/** A locked poll must not delay votes on other polls. */
const byPoll = (group: readonly WaitingVote[]): WaitingVote[][] => [
  ...Map.groupBy(group, ({ ballot }) => ballot.pollKey).values(),
]
