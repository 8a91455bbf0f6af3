import { type DetailsOf, isTossupError, type TossupError } from './errors.ts'
import type { Vote } from './openapi.ts'
import { browserStore, type KeyValueStore } from './storage.ts'
import type { Option, Voter } from './voter.ts'
import { onDemand } from './wire/one-run.ts'
import { randomId } from './wire/random-id.ts'
import { isPassing } from './wire/retry.ts'

/** The storage key of waiting votes, followed by their service. All pages of an origin share it. */
const VOTES_KEY = 'tossup.votes'
/** Valid votes only: an invalid one would block all others. */
const IN_A_HEADER = /^[!-~]+$/
const WEEK_MS = 7 * 24 * 3_600_000
const LOOK_EVERY_MS = 30_000

/** A vote that has not arrived yet. */
export interface QueuedVote {
  readonly id: string
  readonly poll: string
  readonly option: Option
  readonly deviceId: string
  readonly queuedAt: number
}

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

/** True for a failure after which the vote may still be accepted: the service has not refused it. */
export const mayArriveLater = (error: unknown): error is TossupError =>
  isTossupError(error) &&
  (error.code === 'UNEXPECTED_ANSWER' || error.code === 'CHALLENGE_REQUIRED' || isPassing(error.status, error.code))

/**
 * Votes that wait for a network. Each is stored with the device id that cast it, so that a repeated request (after a lost
 * answer, or from another tab) is not counted twice.
 *
 * @example
 * const queue = new VoteQueue({ visitor, onOutcome: console.log })
 * const stop = queue.start()
 * await queue.add('tea-or-coffee', 'A')
 */
export class VoteQueue {
  readonly #visitor: Voter
  readonly #storage: KeyValueStore
  readonly #ttlMs: number
  readonly #onOutcome: VoteQueueOptions['onOutcome']
  /** Where they are stored. */
  readonly key: string
  #isStarted = false
  #restsUntil = 0
  #alarm: ReturnType<typeof setTimeout> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor({ visitor, storage = browserStore(), ttlMs = WEEK_MS, onOutcome }: VoteQueueOptions) {
    this.#visitor = visitor
    this.key = `${VOTES_KEY} ${visitor.url}`
    this.#storage = storage
    this.#ttlMs = ttlMs
    this.#onOutcome = onOutcome
  }

  /**
   * Stores a vote; `flush` sends it. The first vote on a poll counts. With `waitMs`, such as the service's `Retry-After`,
   * nothing is sent before that time has passed.
   */
  async add(poll: string, option: Option, waitMs = 0): Promise<QueuedVote> {
    this.#rest(waitMs)
    const deviceId = await this.#visitor.device.id()
    return this.#change((votes) => {
      const earlier = votes.find((vote) => vote.poll === poll && vote.deviceId === deviceId)
      const vote = earlier ?? { id: randomId(), poll, option, deviceId, queuedAt: Date.now() }
      return { result: vote, votes: earlier ? votes : [...votes, vote] }
    })
  }

  /** The waiting votes, oldest first. */
  async pending(): Promise<QueuedVote[]> {
    return readVotes(await this.#storage.getItem(this.key))
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
    this.#rest(this.#restsUntil - Date.now())
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
        await this.#change((votes) => ({ result: null, votes: votes.filter(isWaiting) }))
      }
    }
  }

  #rest(milliseconds: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, Date.now() + milliseconds)
    if (!this.#isStarted || milliseconds <= 0) return
    clearTimeout(this.#alarm)
    this.#alarm = setTimeout(() => void this.flush(), this.#restsUntil - Date.now())
  }

  /** Null when it must wait longer, and the others with it. */
  async #send(queued: QueuedVote): Promise<Outcome | null> {
    if (Date.now() - queued.queuedAt > this.#ttlMs) return { kind: 'expired', queued }
    const { poll, option, deviceId } = queued
    try {
      return { kind: 'delivered', queued, vote: await this.#visitor.castVote(poll, option, { deviceId }) }
    } catch (error) {
      if (mayArriveLater(error)) {
        this.#rest(error.retryAfterMs ?? 0)
        return null
      }
      if (!isTossupError(error)) throw error
      // Two refusals name the vote that counts: VOTE_ALREADY_CAST, and POLST_CLOSED where there is one.
      const { existingVote: vote } = error.details as Partial<DetailsOf<'VOTE_ALREADY_CAST' | 'POLST_CLOSED'>>
      return vote ? { kind: 'delivered', queued, vote } : { kind: 'refused', queued, error }
    }
  }

  /** One change at a time, in this tab and, where Web Locks exist, in all tabs. */
  #change<T>(change: (votes: QueuedVote[]) => { result: T; votes: QueuedVote[] }): Promise<T> {
    const work = async () => {
      const { result, votes } = change(await this.pending())
      await this.#storage.setItem(this.key, JSON.stringify(votes))
      return result
    }
    const turn = this.#turn.then(() => alone(this.key, work))
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
}

async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { navigator } = globalThis as { navigator?: { locks?: Locks } }
  let hasBegun = false
  const begin = () => {
    hasBegun = true
    return work()
  }
  try {
    return await (navigator?.locks?.request(name, begin) ?? begin())
  } catch (error) {
    // Where storage is denied, locks are too, and nobody else writes.
    if (hasBegun) throw error
    return begin()
  }
}

/** Ignores foreign values in the storage. */
function readVotes(text: string | null): QueuedVote[] {
  try {
    const votes = JSON.parse(text ?? '') as (QueuedVote | null)[]
    return votes.filter(
      (vote) => vote?.id && vote.poll && vote.queuedAt > 0 && IN_A_HEADER.test(vote.deviceId),
    ) as QueuedVote[]
  } catch {
    return []
  }
}
