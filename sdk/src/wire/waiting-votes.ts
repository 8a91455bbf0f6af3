import { isTossupError, type TossupError } from '../errors.ts'
import type { KeyValueStore } from '../storage.ts'
import type { Option, VoteOrigin, Voter } from '../voter.ts'
import { randomId } from './random-id.ts'
import { isPassing } from './retry.ts'

/** The storage key of waiting votes, followed by their service. All pages of an origin share it. */
const VOTES_KEY = 'tossup.votes'
/** Valid votes only: an invalid one would block all others. */
const IN_A_HEADER = /^[!-~]+$/

/** A vote that has not arrived yet. */
export interface QueuedVote extends VoteOrigin {
  readonly id: string
  readonly poll: string
  readonly option: Option
  readonly deviceId: string
  readonly queuedAt: number
}

/** True for a failure after which the vote may still be accepted: the service has not refused it. */
export const mayArriveLater = (error: unknown): error is TossupError =>
  isTossupError(error) &&
  (error.code === 'UNEXPECTED_ANSWER' || error.code === 'CHALLENGE_REQUIRED' || isPassing(error.status, error.code))

/** Changes follow each other: see `change`. */
let turn: Promise<unknown> = Promise.resolve()

/** Stores votes that have not arrived. Separate from `VoteQueue`, which sends them, because `/embed.js` includes it. */
export class WaitingVotes {
  readonly #storage: KeyValueStore
  protected readonly visitor: Voter
  /** Where they are stored. */
  readonly key: string

  constructor(visitor: Voter, storage: KeyValueStore) {
    this.visitor = visitor
    this.#storage = storage
    this.key = `${VOTES_KEY} ${visitor.url}`
  }

  /** Stores a vote. The first vote on a poll counts. */
  async keep(poll: string, option: Option, origin: VoteOrigin): Promise<QueuedVote> {
    const deviceId = await this.visitor.device.id()
    let kept: QueuedVote = { ...origin, id: randomId(), poll, option, deviceId, queuedAt: Date.now() }
    await this.change((votes) => {
      const earlier = votes.find((vote) => vote.poll === poll && vote.deviceId === deviceId)
      if (!earlier) return [...votes, kept]
      kept = earlier
      return votes
    })
    return kept
  }

  /** The waiting votes, oldest first. */
  async pending(): Promise<QueuedVote[]> {
    return readVotes(await this.#storage.getItem(this.key))
  }

  /** One change at a time, in this tab and, where Web Locks exist, in all tabs. */
  protected change(change: (votes: QueuedVote[]) => QueuedVote[]): Promise<unknown> {
    const work = async () => this.#storage.setItem(this.key, JSON.stringify(change(await this.pending())))
    turn = turn.catch(() => null).then(() => alone(this.key, work))
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
