import { type DetailsOf, isTossupError, type TossupError } from './errors.ts'
import type { Vote } from './openapi.ts'
import { browserStore, type KeyValueStore } from './storage.ts'
import type { Option, VoteOrigin, Voter } from './voter.ts'
import { onDemand } from './wire/one-run.ts'
import { mayArriveLater, type QueuedVote, WaitingVotes } from './wire/waiting-votes.ts'

// biome-ignore lint/performance/noBarrelFile: parts of this module that `/embed.js` takes alone
export { mayArriveLater, type QueuedVote } from './wire/waiting-votes.ts'

const WEEK_MS = 7 * 24 * 3_600_000
const LOOK_EVERY_MS = 30_000

/** The vote that counts. */
export type StandingVote = Pick<Vote, 'option' | 'votedAt'> & Partial<Pick<Vote, 'tallies'>>

/** The outcome of a vote. */
export type Outcome =
  /**
   * Delivered: the service has a vote of this device. `vote` is the one that counts, which may be an earlier vote with
   * another option. It has tallies if it was counted just now.
   */
  | { readonly kind: 'delivered'; readonly queued: QueuedVote; readonly vote: StandingVote }
  /** The service will never accept it: the poll is closed or deleted. */
  | { readonly kind: 'refused'; readonly queued: QueuedVote; readonly error: TossupError }
  /** It was not sent, because it was too old. */
  | { readonly kind: 'expired'; readonly queued: QueuedVote }

export interface VoteQueueOptions {
  /** Who votes: a `Visitor`, or a `Tossup`. */
  readonly visitor: Voter
  /** The storage of waiting votes. Default: `localStorage` if available, else memory. */
  readonly storage?: KeyValueStore
  /** Votes older than this are not sent. Default: a week. */
  readonly ttlMs?: number
  /** Until its promise is settled, the vote stays in the storage: what it writes is not lost with the page. It must not wait for `flush`. */
  readonly onOutcome?: (outcome: Outcome) => unknown
}

/**
 * Votes that wait for a network. Each is stored with the device id that cast it, so that a repeated request (after a lost
 * answer, or from another tab) is not counted twice.
 *
 * @example
 * const queue = new VoteQueue({ visitor, onOutcome: console.log })
 * const stop = queue.start()
 * await queue.add('tea-or-coffee', 'A')
 */
export class VoteQueue extends WaitingVotes {
  readonly #ttlMs: number
  readonly #onOutcome: VoteQueueOptions['onOutcome']
  #isStarted = false
  #restsUntil = 0
  #alarm: ReturnType<typeof setTimeout> | undefined

  constructor({ visitor, storage = browserStore(), ttlMs = WEEK_MS, onOutcome }: VoteQueueOptions) {
    super(visitor, storage)
    this.#ttlMs = ttlMs
    this.#onOutcome = onOutcome
  }

  /**
   * Stores a vote; `flush` sends it. The first vote on a poll counts. With `waitMs`, such as the service's `Retry-After`,
   * nothing is sent before that time has passed. `origin` is sent with the vote.
   */
  add(poll: string, option: Option, waitMs = 0, origin: VoteOrigin = {}): Promise<QueuedVote> {
    this.rest(waitMs)
    return this.keep(poll, option, origin)
  }

  /**
   * Sends the waiting votes, one after the other, until all are settled or the network fails. Sends nothing while the
   * service has asked to wait.
   */
  readonly flush = onDemand<Outcome>((outcomes) => this.#flush(outcomes))

  /** Flushes now, whenever the network comes back, and twice a minute. Returns a function that stops it. */
  start(): () => void {
    // Only the storage can fail here, and such a failure must be visible.
    const flush = () => void this.flush()
    const events = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>
    const timer = setInterval(flush, LOOK_EVERY_MS)
    events.addEventListener?.('online', flush)
    this.#isStarted = true
    this.rest(this.#restsUntil - Date.now())
    flush()
    return () => {
      this.#isStarted = false
      clearTimeout(this.#alarm)
      clearInterval(timer)
      events.removeEventListener?.('online', flush)
    }
  }

  async #flush(outcomes: Outcome[]): Promise<void> {
    const settled = new Set<string>()
    const isWaiting = ({ id }: QueuedVote) => !settled.has(id)
    while (Date.now() >= this.#restsUntil) {
      // Looked up each time: one may have come while the one before was on its way.
      const queued = (await this.pending()).find(isWaiting)
      if (!queued) break
      const outcome = await this.#send(queued)
      if (!outcome) break
      settled.add(queued.id)
      outcomes.push(outcome)
      try {
        // Told first: a page that ends in between makes the next one send the vote again, which is not counted twice.
        await this.#onOutcome?.(outcome)
      } finally {
        await this.change((votes) => votes.filter(isWaiting))
      }
    }
  }

  /** Sends nothing before this time has passed. */
  rest(milliseconds: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, Date.now() + milliseconds)
    if (!this.#isStarted || milliseconds <= 0) return
    clearTimeout(this.#alarm)
    this.#alarm = setTimeout(() => void this.flush(), this.#restsUntil - Date.now())
  }

  /** Null when it must wait longer, and the others with it. */
  async #send(queued: QueuedVote): Promise<Outcome | null> {
    if (Date.now() - queued.queuedAt > this.#ttlMs) return { kind: 'expired', queued }
    const { poll, option } = queued
    try {
      return { kind: 'delivered', queued, vote: await this.visitor.castVote(poll, option, queued) }
    } catch (error) {
      if (mayArriveLater(error)) {
        this.rest(error.retryAfterMs ?? 0)
        return null
      }
      if (!isTossupError(error)) throw error
      // Two refusals name the vote that counts: VOTE_ALREADY_CAST, and POLST_CLOSED where there is one.
      const { existingVote: vote } = error.details as Partial<DetailsOf<'VOTE_ALREADY_CAST' | 'POLST_CLOSED'>>
      return vote ? { kind: 'delivered', queued, vote } : { kind: 'refused', queued, error }
    }
  }
}
