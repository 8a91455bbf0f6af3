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
    const callers = claims.map((claim) => this.#find(claim, now))
    const isAllowed = callers.every(hasRoom)
    if (isAllowed) for (const caller of callers) this.#count(caller, now)
    return callers.map((caller) => verdict(caller, now, isAllowed || hasRoom(caller)))
  }

  peek(claims: readonly Claim[]): Verdict[] {
    const now = this.#now()
    return claims.map((claim) => {
      const caller = this.#find(claim, now)
      return verdict(caller, now, hasRoom(caller))
    })
  }

  giveBack(claims: readonly Claim[], verdicts: readonly Verdict[]): Verdict[] {
    for (const [i, { quota, key }] of claims.entries()) {
      const windows = this.#policies.get(quota.policy)
      const name = nameOf(key)
      const table = [windows?.present, windows?.past].find((each) => each?.find(name))
      table?.remove(name, Number(verdicts[i]?.place))
    }
    return this.peek(claims)
  }

  get size(): number {
    return [...this.#policies.values()].reduce((sum, { present, past }) => sum + present.size + (past?.size ?? 0), 0)
  }

  /** A request exactly one window old still counts: both ends belong to the span. */
  #find({ quota, key }: Claim, now: number): Caller {
    const name = nameOf(key)
    const windows = this.#policies.get(quota.policy)
    const moments = windows?.present.find(name) ?? windows?.past?.find(name) ?? NONE
    const start = now - quota.windowSeconds * 1_000
    const areAllWithin = (moments[0] ?? now) >= start
    return { quota, name, moments: areAllWithin ? moments : moments.filter((moment) => moment >= start) }
  }

  /** Whoever stands in both tables is known whole by the present one. */
  #count(caller: Caller, now: number): void {
    const { quota, name } = caller
    const windows = this.#policies.get(quota.policy) ?? { present: new CallerTable(), beganAt: now, past: null }
    this.#policies.set(quota.policy, windows)
    const start = now - quota.windowSeconds * 1_000
    if (windows.beganAt < start || windows.present.size >= this.#mostCallers) {
      windows.past = windows.present
      windows.present = new CallerTable()
      windows.beganAt = now
    }
    if (windows.past && windows.past.lastAt < start) windows.past = null
    caller.moments = [...caller.moments, now]
    windows.present.keep(name, caller.moments)
  }
}

interface Caller {
  readonly quota: Quota
  readonly name: number
  /** Of the counted requests, oldest first. */
  moments: readonly number[]
}

const NONE: readonly number[] = []

const hasRoom = ({ quota, moments }: Caller): boolean => moments.length < quota.quota

function verdict({ quota: { quota, windowSeconds }, moments }: Caller, now: number, isAllowed: boolean): Verdict {
  const [oldest] = moments
  const untilFreed = oldest === undefined ? windowSeconds : Math.ceil((oldest - now) / 1_000 + windowSeconds)
  return {
    isAllowed,
    remaining: Math.max(0, quota - moments.length),
    resetSeconds: Math.max(1, untilFreed),
    place: now,
  }
}

const SAFE_BITS = 0x1f_ffff_ffff_ffffn

/** 53 bits stand for a caller, and fit into a number; 0 stands for nobody. */
const nameOf = (key: string): number => Number(Bun.hash.wyhash(key) & SAFE_BITS) || 1
