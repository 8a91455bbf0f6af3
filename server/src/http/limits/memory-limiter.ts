import { type CallerName, CallerTable, type CountedCalls, NONE } from './caller-table.ts'
import type { Claim, Limiter, Quota, Verdict } from './limits.ts'

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
    const callers: Caller[] = []
    let isAllowed = true
    for (const claim of claims) {
      const caller = this.#find(claim, now)
      callers.push(caller)
      isAllowed &&= hasRoom(caller)
    }
    const verdicts: Verdict[] = []
    for (const caller of callers) {
      if (isAllowed) this.#count(caller, now)
      verdicts.push(verdict(caller, now, isAllowed || hasRoom(caller)))
    }
    return verdicts
  }

  peek(claims: readonly Claim[]): Verdict[] {
    const now = this.#now()
    return claims.map((claim) => {
      const caller = this.#find(claim, now)
      return verdict(caller, now, hasRoom(caller))
    })
  }

  giveBack(claims: readonly Claim[], verdicts: readonly Verdict[]): Verdict[] {
    for (const [i, claim] of claims.entries()) {
      const windows = this.#policies.get(claim.quota.policy)
      const name = nameOf(claim)
      const table = [windows?.present, windows?.past].find((each) => each?.has(name))
      table?.remove(name, Number(verdicts[i]?.receipt))
    }
    return this.peek(claims)
  }

  get size(): number {
    return [...this.#policies.values()].reduce((sum, { present, past }) => sum + present.size + (past?.size ?? 0), 0)
  }

  /** A request exactly one window old still counts: the window includes both ends. */
  #find(claim: Claim, now: number): Caller {
    const { quota } = claim
    const name = nameOf(claim)
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

  #begin(policy: string, now: number): Windows {
    const windows = { present: new CallerTable(), beganAt: now, past: null }
    this.#policies.set(policy, windows)
    return windows
  }

  #windowsAt(now: number, { policy, windowSeconds }: Quota): Windows {
    const windows = this.#policies.get(policy) ?? this.#begin(policy, now)
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
  readonly name: CallerName
  counted: CountedCalls
  /** Where the counted times are. */
  readonly table: CallerTable | null
}

const hasRoom = ({ quota, counted }: Caller): boolean => counted.times < quota.quota

function verdict({ quota: { quota, windowSeconds }, counted }: Caller, now: number, isAllowed: boolean): Verdict {
  const { times, oldest } = counted
  const untilFreed = oldest === null ? windowSeconds : Math.ceil((oldest - now) / 1_000 + windowSeconds)
  return { isAllowed, remaining: Math.max(0, quota - times), resetSeconds: Math.max(1, untilFreed), receipt: now }
}

function nameOf({ key, within = 0 }: Claim): CallerName {
  if (typeof key !== 'string' && 'number' in key) return nameWithin(key.number, key.number / 2 ** 32, within)
  const hash = typeof key === 'string' ? hashOf(key) : key
  return nameWithin(bitsAt(hash, 0), bitsAt(hash, 4), within)
}

/** To multiply by an odd number is one-to-one modulo 2^32, so a caller has another name for each `within`. */
function nameWithin(low: number, high: number, within: number): CallerName {
  const name = {
    low: (low ^ Math.imul(within, 0x9e37_79b1)) >>> 0,
    high: (high ^ Math.imul(within, 0x85eb_ca6b)) & 0x1f_ffff,
  }
  return name.low === 0 && name.high === 0 ? { low: 1, high: 0 } : name
}

const textHash = new Uint8Array(8)
const textHashView = new DataView(textHash.buffer)

/** Valid until the next call. */
function hashOf(text: string): Uint8Array {
  textHashView.setBigUint64(0, Bun.hash.wyhash(text))
  return textHash
}

const bitsAt = (hash: Uint8Array, at: number): number =>
  (hash[at] ?? 0) | ((hash[at + 1] ?? 0) << 8) | ((hash[at + 2] ?? 0) << 16) | ((hash[at + 3] ?? 0) << 24)
