import { CallerTable } from './caller-table.ts'
import type { Claim, Limiter, Quota, Verdict } from './limiter.ts'

/** In each of the two tables: whoever is pushed out by more has as much room again as at first. */
const MOST_CALLERS = 1_000_000

/** Callers of one policy: those counted since the present window began, and those of the one before it. */
interface Windows {
  present: CallerTable
  beganAt: number
  past: CallerTable | null
}

/** Keeps the moments of each caller's last requests, on a clock that never goes back. */
export class MemoryLimiter implements Limiter {
  readonly #policies = new Map<string, Windows>()
  readonly #now: () => number
  readonly #mostCallers: number

  constructor(now: () => number = () => performance.now(), mostCallers = MOST_CALLERS) {
    this.#now = now
    this.#mostCallers = mostCallers
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
    return [...this.#policies.values()].reduce((sum, { present, past }) => sum + present.size + (past?.size ?? 0), 0)
  }

  /** A request exactly one window old still counts: both ends belong to the span. */
  #counted({ quota, key }: Claim, now: number): readonly number[] {
    const windows = this.#policies.get(quota.policy)
    if (!windows) return []
    const name = nameOf(key)
    const moments = windows.present.find(name) ?? windows.past?.find(name) ?? []
    const start = now - quota.windowSeconds * 1_000
    return moments.every((moment) => moment >= start) ? moments : moments.filter((moment) => moment >= start)
  }

  /** Whoever stands in both tables is known whole by the present one. */
  #keep({ quota, key }: Claim, moments: readonly number[], now: number): void {
    const windows = this.#policies.get(quota.policy) ?? { present: new CallerTable(), beganAt: now, past: null }
    this.#policies.set(quota.policy, windows)
    const start = now - quota.windowSeconds * 1_000
    if (windows.beganAt < start || windows.present.size >= this.#mostCallers) {
      windows.past = windows.present
      windows.present = new CallerTable()
      windows.beganAt = now
    }
    if (windows.past && windows.past.lastAt < start) windows.past = null
    windows.present.keep(nameOf(key), moments)
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

/** 53 bits stand for a caller, and fit into a number; 0 stands for nobody. */
const nameOf = (key: string): number => Number(Bun.hash.wyhash(key) & SAFE_BITS) || 1
