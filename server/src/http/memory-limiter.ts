import type { Claim, Limiter, Quota, Verdict } from './limiter.ts'

const MOST_CALLERS = 1_000_000

/** The moments of a caller's counted requests, oldest first. Most callers have one: it stands without an array. */
type Moments = number | number[]

/** Keeps the moments of each caller's last requests, on a clock that never goes back. */
export class MemoryLimiter implements Limiter {
  /** For each policy; a caller moves to the end when counted, so the ones to forget stand at the front. */
  readonly #callers = new Map<string, Map<number, Moments>>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  take(claims: readonly Claim[]): Verdict[] {
    const now = this.#now()
    const counted = claims.map((claim) => this.#counted(claim, now))
    const isAllowed = claims.every(({ quota }, i) => (counted[i]?.length ?? 0) < quota.quota)
    if (!isAllowed) return claims.map((claim, i) => verdict(claim.quota, counted[i] ?? [], now))
    return claims.map((claim, i) => {
      const moments = [...(counted[i] ?? []), now]
      this.#keep(claim, moments, now)
      return { ...verdict(claim.quota, moments, now), isAllowed: true }
    })
  }

  peek(claims: readonly Claim[]): Verdict[] {
    const now = this.#now()
    return claims.map((claim) => verdict(claim.quota, this.#counted(claim, now), now))
  }

  get size(): number {
    return [...this.#callers.values()].reduce((sum, callers) => sum + callers.size, 0)
  }

  /** A request exactly one window old still counts: both ends belong to the span. */
  #counted({ quota, key }: Claim, now: number): number[] {
    const kept = this.#callers.get(quota.policy)?.get(nameOf(key))
    if (kept === undefined) return []
    const moments = typeof kept === 'number' ? [kept] : kept
    const start = now - quota.windowSeconds * 1_000
    return moments.filter((moment) => moment >= start)
  }

  #keep({ quota, key }: Claim, moments: number[], now: number): void {
    const callers = this.#callers.get(quota.policy) ?? new Map<number, Moments>()
    this.#callers.set(quota.policy, callers)
    const name = nameOf(key)
    callers.delete(name)
    callers.set(name, moments.length === 1 ? now : moments)
    forget(callers, now - quota.windowSeconds * 1_000)
  }
}

function forget(callers: Map<number, Moments>, start: number): void {
  for (const [name, moments] of callers) {
    const newest = typeof moments === 'number' ? moments : (moments.at(-1) ?? 0)
    if (newest >= start && callers.size <= MOST_CALLERS) return
    callers.delete(name)
  }
}

function verdict({ quota, windowSeconds }: Quota, moments: readonly number[], now: number): Verdict {
  const [oldest] = moments
  const untilFreed = oldest === undefined ? windowSeconds : Math.ceil((oldest - now) / 1_000 + windowSeconds)
  return {
    isAllowed: moments.length < quota,
    remaining: Math.max(0, quota - moments.length),
    resetSeconds: Math.max(1, untilFreed),
  }
}

const SAFE_BITS = 0x1f_ffff_ffff_ffffn

/** 53 bits stand for a caller: a number that a Map keeps in place, where a string would cost more than all the rest. */
const nameOf = (key: string): number => Number(Bun.hash.wyhash(key) & SAFE_BITS)
