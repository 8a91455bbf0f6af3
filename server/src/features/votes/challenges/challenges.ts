// features/votes/challenges: proof of work that a vote must bring, in the format of ALTCHA, and when it is due.

import { createHash, randomBytes, randomInt } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../../base/clock.ts'
import type { DetailsOf } from '../../../base/errors.ts'
import { type Bytes, isSameSecret, keyedHash } from '../../../base/secrets.ts'
import type { DataKeys } from '../../../db/data-keys.ts'
import type { Ballot } from '../../../db/vote-store.ts'
import type { PublicPoll } from '../../../events/resources/poll.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import type { Deps } from '../../deps.ts'
import { type Level, Pressure } from './pressure.ts'

export type Challenge = DetailsOf<'CHALLENGE_REQUIRED'>['challenge']

/** Whose vote a challenge is for. */
type Subject = Pick<Ballot, 'pollKey' | 'device'>

const LIFETIME_MS = 120_000
/** Short, so that salt and number fit into one block of SHA-256: a second would cost honest devices twice the time. */
const SALT_BYTES = 4
const BOUND_CHARACTERS = 16
/** Far longer than a solution. */
const LONGEST_SOLUTION = 1_024
/** The final `&` separates the salt from the number: without it, digits could move from one to the other. */
const SALT = /^[0-9a-f]{8}\?expires=(\d{1,13})&for=([\w-]{16})&$/

/**
 * Issues challenges and checks their solutions, without keeping any. A solution counts for one vote, also across processes and
 * restarts: it is bound to one device and poll, and the ledger takes one vote of a device on a poll.
 */
export class Challenges {
  readonly #clock: Clock
  readonly #signingKey: Bytes
  readonly #bindingKey: Bytes

  constructor({ clock, keys }: { clock: Clock; keys: Pick<DataKeys, 'challenge' | 'device'> }) {
    this.#clock = clock
    // ALTCHA signs with the bytes of a text.
    this.#signingKey = Buffer.from(Buffer.from(keys.challenge).toString('hex'))
    this.#bindingKey = keys.challenge
  }

  issue(subject: Subject, maxnumber: number): Challenge {
    const expires = Math.floor((this.#clock.now() + LIFETIME_MS) / 1_000)
    const salt = `${randomBytes(SALT_BYTES).toString('hex')}?expires=${expires}&for=${this.#boundTo(subject)}&`
    const challenge = hashOf(salt, randomInt(maxnumber + 1))
    return { algorithm: 'SHA-256', challenge, salt, signature: this.#signatureOf(challenge), maxnumber }
  }

  /** Whether the header holds a solution of a challenge that was issued for this vote and is not late. */
  isSolved(header: string | null, subject: Subject): boolean {
    const given = header === null ? null : readSolution(header)
    const [, expires, bound] = SALT.exec(given?.salt ?? '') ?? []
    if (!given || Number(expires) * 1_000 < this.#clock.now() || bound !== this.#boundTo(subject)) return false
    const { challenge, salt, number, signature } = given
    return isSameText(hashOf(salt, number), challenge) && isSameText(this.#signatureOf(challenge), signature)
  }

  #boundTo({ pollKey, device }: Subject): string {
    const name = `vote:${pollKey}:${Buffer.from(device).toString('base64url')}`
    return keyedHash(this.#bindingKey, name).toString('base64url').slice(0, BOUND_CHARACTERS)
  }

  #signatureOf(challenge: string): string {
    return keyedHash(this.#signingKey, challenge).toString('hex')
  }
}

const solution = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  salt: z.string(),
  signature: z.string(),
  number: z.int(),
})

/** Base64 of JSON, as ALTCHA's. Null for anything else. */
function readSolution(header: string): z.infer<typeof solution> | null {
  if (header.length > LONGEST_SOLUTION) return null
  try {
    return solution.safeParse(JSON.parse(Buffer.from(header, 'base64').toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

const hashOf = (salt: string, number: number): string => createHash('sha256').update(`${salt}${number}`).digest('hex')

const isSameText = (left: string, right: string): boolean => isSameSecret(Buffer.from(left), Buffer.from(right))

/** How far a device counts at most, by the pressure. A phone that hashes 70,000 times a second needs 1.5 seconds for the highest. */
const MAX_NUMBERS: Readonly<Record<Level, number>> = { 0: 12_500, 1: 25_000, 2: 50_000, 3: 100_000 }

/** A challenge that a vote has not solved. */
export interface Due {
  issue(): Challenge
}

interface Proof {
  readonly isSolved: boolean
  /** Null if the vote may be counted. */
  readonly due: Due | null
}

export const NOTHING_DUE: Proof = { isSolved: false, due: null }
const SOLVED: Proof = { isSolved: true, due: null }

/** Decides whether a vote needs a challenge, and which. */
export class ChallengePolicy {
  readonly #clock: Clock
  readonly #challenges: Challenges
  readonly #pressure = new Pressure()

  constructor(deps: Pick<Deps, 'clock' | 'keys'>) {
    this.#clock = deps.clock
    this.#challenges = new Challenges(deps)
  }

  proofOf(
    incoming: Incoming,
    { mode, ...subject }: { mode: PublicPoll['challenge']; pollKey: number; device: Uint8Array },
  ): Proof {
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
