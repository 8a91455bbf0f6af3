import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Attempt, Witness } from './witness.ts'

const WORKERS = 32
const REPEATS = 0.15
const HOT = 0.6

export interface Load {
  /** Resolves when so many votes are acknowledged; rejects when that takes too long. */
  untilAccepted(count: number): Promise<void>
  stop(): Promise<void>
}

export interface Target {
  readonly url: string
  readonly polls: readonly string[]
  readonly witness: Witness
}

/** Votes without end: most on the first poll, some by devices that have voted or are just voting. */
export function startLoad(target: Target): Load {
  const stopping = new AbortController()
  const workers = Array.from({ length: WORKERS }, () => work(target, stopping.signal))
  const { witness } = target
  return {
    async untilAccepted(count) {
      const deadline = performance.now() + 30_000
      while (witness.accepted < count) {
        if (performance.now() > deadline) throw new Error(`only ${witness.accepted} votes of ${count} in 30 s`)
        await pause(1)
      }
    },
    async stop() {
      stopping.abort()
      await Promise.all(workers)
    },
  }
}

async function work(target: Target, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isAnswered = await vote(target, next(target))
    // A server that is gone or refuses would otherwise be asked as fast as it can refuse.
    if (!isAnswered) await pause(5)
  }
}

function next({ polls, witness }: Target): Attempt {
  const { attempts } = witness
  const earlier = Math.random() < REPEATS ? attempts[Math.floor(Math.random() * attempts.length)] : undefined
  if (earlier) return earlier
  const [hot = '', ...others] = polls
  const poll = Math.random() < HOT ? hot : (others[Math.floor(Math.random() * others.length)] ?? hot)
  return { poll, device: randomUUID() }
}

/** False when it was not answered, or 503. What becomes of it is known to the database alone then. */
export async function vote({ url, witness }: Omit<Target, 'polls'>, attempt: Attempt): Promise<boolean> {
  witness.sends(attempt)
  let status: number
  let body: string
  try {
    const answer = await fetch(`${url}/api/rest/v1/polls/${attempt.poll}/votes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Device-Id': attempt.device },
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
