import { randomUUID } from 'node:crypto'
import { eventually } from '../eventually.ts'
import type { Attempt, Witness } from './witness.ts'

const VOTERS = 32
const REPEATS = 0.15
const HOT = 0.6
/** Votes by code that two devices send at once. */
const RIVALS = 0.2
/** Every other moment, votes are spread over all polls: SQLite stores groups on many polls in another way. */
const SPREAD_MS = 500
/** With 32 voters a server that comes back is still asked more than once in each millisecond. */
const REFUSED_MS = 25

export interface Load {
  /** Resolves when this many votes are acknowledged; rejects after a timeout. */
  untilAccepted(count: number): Promise<void>
  readonly accepted: () => number
  /** How many votes were answered 503, or not at all. */
  readonly refused: () => number
  /** From now on each voter waits this long between two votes. With 0, all vote at once. */
  pace(pauseMs: number): void
  /** A further vote on the first poll; true if it was answered, and not with 503. */
  voteOnce(device: string): Promise<boolean>
  stop(): Promise<void>
}

export interface Target {
  readonly url: string
  readonly polls: readonly string[]
  readonly witness: Witness
  /** A second server on the same database. */
  readonly otherUrl?: string
  /** The codes with which the polls of this set are voted on. */
  readonly codes?: { readonly all: readonly string[]; readonly polls: ReadonlySet<string> }
  /** How many vote at once; 32 by default. */
  readonly voters?: number
  /** How long each waits between two votes at first; 0 by default. */
  readonly pauseMs?: number
}

/** The pause between two votes, which ends early when it changes. */
class Pace {
  #pauseMs: number
  #changed = Promise.withResolvers<void>()

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs
  }

  change(pauseMs: number): void {
    this.#pauseMs = pauseMs
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  async wait(): Promise<void> {
    // Real time: a slow load leaves the machine to what runs beside it.
    if (this.#pauseMs > 0) await Promise.race([Bun.sleep(this.#pauseMs), this.#changed.promise])
  }
}

/** Votes continuously: by turns mostly on the first poll and on all alike, and sometimes with devices that have voted or are voting. */
export function startLoad(target: Target): Load {
  const stopping = new AbortController()
  let refused = 0
  const noteRefusal = () => void refused++
  const pace = new Pace(target.pauseMs ?? 0)
  const course = { pace, noteRefusal, signal: stopping.signal }
  const workers = Array.from({ length: target.voters ?? VOTERS }, () => work(target, course))
  const { witness } = target
  return {
    async untilAccepted(count) {
      const seen = () => witness.accepted
      await eventually(() => witness.accepted >= count, { withinMs: 120_000, everyMs: 5, seen })
    },
    accepted: () => witness.accepted,
    refused: () => refused,
    pace: (pauseMs) => pace.change(pauseMs),
    voteOnce: (device) => vote(target, { ...next({ ...target, polls: target.polls.slice(0, 1) }), device }),
    async stop() {
      stopping.abort()
      pace.change(0)
      await Promise.all(workers)
    },
  }
}

interface Course {
  readonly pace: Pace
  readonly noteRefusal: () => void
  readonly signal: AbortSignal
}

async function work(target: Target, { pace, noteRefusal, signal }: Course): Promise<void> {
  while (!signal.aborted) {
    const isAnswered = await voteNext(target)
    if (!isAnswered) noteRefusal()
    // Without a pause, a server that is down or refuses would be called as fast as it can refuse.
    // Real time: another process has to come back.
    if (!isAnswered) await Bun.sleep(REFUSED_MS)
    else await pace.wait()
  }
}

async function voteNext(target: Target): Promise<boolean> {
  const attempt = next(target)
  const { url, otherUrl = url, witness } = target
  const [one, other] = Math.random() < 0.5 ? [url, otherUrl] : [otherUrl, url]
  const isRivalled = attempt.code !== undefined && Math.random() < RIVALS
  const answers = await Promise.all([
    vote({ url: one, witness }, attempt),
    isRivalled ? vote({ url: other, witness }, { ...attempt, device: randomUUID() }) : true,
  ])
  return answers.every(Boolean)
}

const anyOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)]

function next({ polls, witness, codes }: Target): Attempt {
  const earlier = Math.random() < REPEATS ? anyOf(witness.attempts) : undefined
  if (earlier) return earlier
  const [hot = '', ...others] = polls
  const isSpread = Math.floor(performance.now() / SPREAD_MS) % 2 === 1
  const poll = !isSpread && Math.random() < HOT ? hot : (anyOf(others) ?? hot)
  const code = codes?.polls.has(poll) ? anyOf(codes.all) : undefined
  return { poll, device: randomUUID(), ...(code && { code }) }
}

/** False if it was not answered, or 503. Only the database knows then whether the vote was stored. */
export async function vote({ url, witness }: Pick<Target, 'url' | 'witness'>, attempt: Attempt): Promise<boolean> {
  witness.sends(attempt)
  let status: number
  let body: string
  try {
    const answer = await fetch(`${url}/api/rest/v1/polls/${attempt.poll}/votes`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Device-Id': attempt.device,
        ...(attempt.code && { 'X-Vote-Code': attempt.code }),
      },
      body: Math.random() < 0.5 ? '{"option":"A"}' : '{"option":"B"}',
    })
    status = answer.status
    body = await answer.text()
  } catch {
    return false
  }
  witness.hears(attempt, status, body)
  return status !== 503
}
