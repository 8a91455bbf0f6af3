import type { Claim, Limiter, Verdict } from './limiter.ts'

interface Window {
  /** Oldest first; never longer than the quota. */
  readonly times: number[]
  readonly lengthMs: number
}

const MOST_CALLERS = 1_000_000

/** Keeps the moments of each caller's last requests, on a clock that never goes back. */
export class MemoryLimiter implements Limiter {
  /** A caller moves to the end when counted, so the ones to forget stand at the front. */
  readonly #windows = new Map<string, Window>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  take(claims: readonly Claim[]): Verdict[] {
    const now = this.#now()
    const verdicts = claims.map((claim) => this.#verdict(claim, now))
    if (verdicts.some((verdict) => !verdict.isAllowed)) return verdicts
    for (const claim of claims) this.#count(claim, now)
    this.#forget(now)
    return claims.map((claim) => ({ ...this.#verdict(claim, now), isAllowed: true }))
  }

  peek(claims: readonly Claim[]): Verdict[] {
    const now = this.#now()
    return claims.map((claim) => this.#verdict(claim, now))
  }

  get size(): number {
    return this.#windows.size
  }

  #verdict({ quota, key }: Claim, now: number): Verdict {
    const lengthMs = quota.windowSeconds * 1_000
    const window = this.#windows.get(nameOf({ quota, key }))
    const times = window?.times ?? []
    let expired = 0
    // A request exactly one window old still counts: both ends belong to the span.
    while (expired < times.length && (times[expired] as number) < now - lengthMs) expired++
    times.splice(0, expired)
    const oldest = times[0]
    return {
      isAllowed: times.length < quota.quota,
      remaining: Math.max(0, quota.quota - times.length),
      resetSeconds:
        oldest === undefined ? quota.windowSeconds : Math.max(1, Math.ceil((oldest + lengthMs - now) / 1_000)),
    }
  }

  #count(claim: Claim, now: number): void {
    const name = nameOf(claim)
    const window = this.#windows.get(name) ?? { times: [], lengthMs: claim.quota.windowSeconds * 1_000 }
    window.times.push(now)
    this.#windows.delete(name)
    this.#windows.set(name, window)
  }

  #forget(now: number): void {
    for (const [name, { times, lengthMs }] of this.#windows) {
      const newest = times.at(-1) ?? 0
      if (newest >= now - lengthMs && this.#windows.size <= MOST_CALLERS) return
      this.#windows.delete(name)
    }
  }
}

const nameOf = ({ quota, key }: Claim): string => `${quota.policy}:${key}`
