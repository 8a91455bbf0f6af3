import { isTossupError, type TossupError } from './errors.ts'
import type { Vote } from './openapi.ts'
import { randomId } from './random-id.ts'
import { isPassing } from './retry.ts'
import { browserStore, type KeyValueStore } from './storage.ts'
import type { Option, Visitor } from './visitor.ts'

const KEY = 'tossup.votes'
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

/** What became of one. */
export type Outcome =
  /** It counts. `vote` is what stands: a vote of this device that was there before, with another option, too. */
  | { readonly kind: 'delivered'; readonly queued: QueuedVote; readonly vote: Pick<Vote, 'option' | 'votedAt'> }
  /** The service will never take it: the poll is closed, or gone. */
  | { readonly kind: 'refused'; readonly queued: QueuedVote; readonly error: TossupError }
  /** It was not sent, because it was too old. */
  | { readonly kind: 'expired'; readonly queued: QueuedVote }

export interface VoteQueueOptions {
  readonly visitor: Visitor
  /** Where votes wait: `localStorage` where there is one, else memory, unless said otherwise. */
  readonly storage?: KeyValueStore
  /** After so long a vote is no longer sent; a week unless said otherwise. */
  readonly ttlMs?: number
  readonly onOutcome?: (outcome: Outcome) => void
}

/**
 * Votes that may wait for a network. Each is kept with the id of the device that cast it, so that sending one again, because
 * its answer was lost or another tab sent it too, counts nothing twice.
 *
 * @example
 * const queue = new VoteQueue({ visitor, onOutcome: console.log })
 * const stop = queue.start()
 * await queue.add('tea-or-coffee', 'A')
 */
export class VoteQueue {
  readonly #visitor: Visitor
  readonly #storage: KeyValueStore
  readonly #ttlMs: number
  readonly #onOutcome: ((outcome: Outcome) => void) | undefined
  #flushing: Promise<Outcome[]> | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor({ visitor, storage = browserStore(), ttlMs = WEEK_MS, onOutcome }: VoteQueueOptions) {
    this.#visitor = visitor
    this.#storage = storage
    this.#ttlMs = ttlMs
    this.#onOutcome = onOutcome
  }

  /** Keeps a vote; `flush` sends it. The first vote on a poll is the one that stands. */
  async add(poll: string, option: Option): Promise<QueuedVote> {
    const deviceId = await this.#visitor.device.id()
    return this.#change((votes) => {
      const earlier = votes.find((vote) => vote.poll === poll && vote.deviceId === deviceId)
      const vote = earlier ?? { id: randomId(), poll, option, deviceId, queuedAt: Date.now() }
      return { result: vote, votes: earlier ? votes : [...votes, vote] }
    })
  }

  /** What waits, oldest first. */
  async pending(): Promise<QueuedVote[]> {
    return readVotes(await this.#storage.getItem(KEY))
  }

  /** Sends what waits, one after the other, until all is settled or the network fails. */
  flush(): Promise<Outcome[]> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  /** Flushes now, whenever the network comes back, and twice a minute. Returns what stops that. */
  start(): () => void {
    // Nothing fails here but the storage, and that should be seen.
    const flush = () => void this.flush()
    const events = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>
    const timer = setInterval(flush, LOOK_EVERY_MS)
    events.addEventListener?.('online', flush)
    flush()
    return () => {
      clearInterval(timer)
      events.removeEventListener?.('online', flush)
    }
  }

  async #flush(): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const queued of await this.pending()) {
      const outcome = await this.#send(queued)
      if (!outcome) break
      await this.#change((votes) => ({ result: null, votes: votes.filter(({ id }) => id !== queued.id) }))
      outcomes.push(outcome)
      this.#onOutcome?.(outcome)
    }
    return outcomes
  }

  /** Null when it must wait longer, and the others with it. */
  async #send(queued: QueuedVote): Promise<Outcome | null> {
    if (Date.now() - queued.queuedAt > this.#ttlMs) return { kind: 'expired', queued }
    const { poll, option, deviceId } = queued
    try {
      return { kind: 'delivered', queued, vote: await this.#visitor.castVote(poll, option, { deviceId }) }
    } catch (error) {
      if (!isTossupError(error)) throw error
      const earlier = isTossupError(error, 'VOTE_ALREADY_CAST') || isTossupError(error, 'POLST_CLOSED')
      const vote = earlier ? error.details.existingVote : undefined
      if (vote) return { kind: 'delivered', queued, vote }
      const isOfService = error.code !== 'UNEXPECTED_ANSWER' && !isPassing(error.status, error.code)
      return isOfService ? { kind: 'refused', queued, error } : null
    }
  }

  /** One change at a time, in this tab and, where the platform has locks, in all of them. */
  #change<T>(change: (votes: QueuedVote[]) => { result: T; votes: QueuedVote[] }): Promise<T> {
    const work = async () => {
      const { result, votes } = change(await this.pending())
      await this.#storage.setItem(KEY, JSON.stringify(votes))
      return result
    }
    const { navigator } = globalThis as { navigator?: { locks?: Locks } }
    const turn = this.#turn.then(() => (navigator?.locks ? navigator.locks.request(KEY, work) : work()))
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** What somebody else wrote there is no vote of ours. */
function readVotes(text: string | null): QueuedVote[] {
  try {
    const votes = JSON.parse(text ?? '[]') as QueuedVote[]
    return Array.isArray(votes) ? votes.filter(({ id, poll, deviceId }) => id && poll && deviceId) : []
  } catch {
    return []
  }
}
