import type { Clock } from '../../../base/clock.ts'
import type { PublicPoll } from '../../../events/resources/poll.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import type { Deps } from '../../deps.ts'
import { type Challenge, Challenges } from './challenges.ts'
import { type Level, Pressure } from './pressure.ts'

/** How far a device counts at most, by the pressure. A phone that hashes 70,000 times a second needs 1.5 seconds for the highest. */
const MAX_NUMBERS: Readonly<Record<Level, number>> = { 0: 12_500, 1: 25_000, 2: 50_000, 3: 100_000 }

/** A challenge that a vote has not solved. */
export interface Due {
  issue(): Challenge
}

export interface Proof {
  readonly isSolved: boolean
  /** Null if the vote may be counted. */
  readonly due: Due | null
}

export const NOTHING_DUE: Proof = { isSolved: false, due: null }
const SOLVED: Proof = { isSolved: true, due: null }

interface VoteToProve {
  readonly mode: PublicPoll['challenge']
  readonly pollKey: number
  readonly device: Uint8Array
}

/** Decides whether a vote needs a challenge, and which. */
export class ChallengePolicy {
  readonly #clock: Clock
  readonly #challenges: Challenges
  readonly #pressure = new Pressure()

  constructor(deps: Pick<Deps, 'clock' | 'keys'>) {
    this.#clock = deps.clock
    this.#challenges = new Challenges(deps)
  }

  proofOf(incoming: Incoming, { mode, ...subject }: VoteToProve): Proof {
    if (mode === 'off') return NOTHING_DUE
    if (this.#challenges.isSolved(header(incoming, 'x-challenge-solution'), subject)) return SOLVED
    const { pollKey } = subject
    const now = this.#clock.now()
    this.#pressure.noteVote(pollKey, now)
    const level = this.#pressure.levelOf(pollKey, incoming, now)
    if (mode === 'adaptive' && level === 0) return NOTHING_DUE
    return { isSolved: false, due: { issue: () => this.#challenges.issue(subject, MAX_NUMBERS[level]) } }
  }
}
