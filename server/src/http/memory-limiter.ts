import { CallerTable, type CountedCalls, NONE } from './caller-table.ts'
import type { Claim, Limiter, Quota, Verdict } from './limiter.ts'

/** For each of the two tables. A caller that is evicted because of more callers starts with a full quota again. */
const MOST_CALLERS = 1_000_000

/** The callers of one policy, in two generations: counted since `beganAt`, and counted in the window before. */
interface Windows {
  present: CallerTable
  beganAt: number
  past: CallerTable | null
}

/** Keeps the times of each caller's latest requests, by a monotonic clock. What a request costs does not depend on its quota. */
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
      const table = [windows?.present, windows?.past].find((each) => each?.has(name))
      table?.remove(name, Number(verdicts[i]?.place))
    }
    return this.peek(claims)
  }

  get size(): number {
    return [...this.#policies.values()].reduce((sum, { present, past }) => sum + present.size + (past?.size ?? 0), 0)
  }

  /** A request exactly one window old still counts: the window includes both ends. */
  #find({ quota, key }: Claim, now: number): Caller {
    const name = nameOf(key)
    const windows = this.#policies.get(quota.policy)
    const start = now - quota.windowSeconds * 1_000
    const own = windows?.present.countFrom(start, name)
    if (windows && own) return { quota, name, counted: own, table: windows.present }
    return { quota, name, counted: windows?.past?.countFrom(start, name) ?? NONE, table: windows?.past ?? null }
  }

  /** The present table has all times of its callers, so a caller that is in both tables is read from the present one. */
  #count(caller: Caller, now: number): void {
    const { quota, name, counted, table } = caller
    const { present } = this.#windowsAt(now, quota)
    if (table && table !== present && counted.times > 0) present.adopt(name, table)
    present.add(name, now, counted)
    caller.counted = { times: counted.times + 1, oldest: counted.oldest ?? now }
  }

  #windowsAt(now: number, { policy, windowSeconds }: Quota): Windows {
    const windows = this.#policies.get(policy) ?? { present: new CallerTable(), beganAt: now, past: null }
    this.#policies.set(policy, windows)
    const start = now - windowSeconds * 1_000
    if (windows.beganAt < start || windows.present.size >= this.#mostCallers) {
      windows.past = windows.present
      windows.present = new CallerTable()
      windows.beganAt = now
    }
    if (windows.past && windows.past.lastAt < start) windows.past = null
    return windows
  }
}

interface Caller {
  readonly quota: Quota
  readonly name: number
  counted: CountedCalls
  /** Where the counted times are. */
  readonly table: CallerTable | null
}

const hasRoom = ({ quota, counted }: Caller): boolean => counted.times < quota.quota

function verdict({ quota: { quota, windowSeconds }, counted }: Caller, now: number, isAllowed: boolean): Verdict {
  const { times, oldest } = counted
  const untilFreed = oldest === null ? windowSeconds : Math.ceil((oldest - now) / 1_000 + windowSeconds)
  return { isAllowed, remaining: Math.max(0, quota - times), resetSeconds: Math.max(1, untilFreed), place: now }
}

const SAFE_BITS = 0x1f_ffff_ffff_ffffn

/** A 53-bit hash of the caller, which fits into a number. 0 is reserved for empty slots. */
const nameOf = (key: Claim['key']): number =>
  (typeof key === 'string' ? Number(Bun.hash.wyhash(key) & SAFE_BITS) : firstBits(key)) || 1

/** The first 53 bits. */
function firstBits(hash: Uint8Array): number {
  let low = 0
  for (let i = 0; i < 4; i++) low = (low << 8) | (hash[i] ?? 0)
  const high = (hash[4] ?? 0) | ((hash[5] ?? 0) << 8) | (((hash[6] ?? 0) & 0x1f) << 16)
  return high * 2 ** 32 + (low >>> 0)
}
