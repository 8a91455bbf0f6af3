import { createHash, randomUUID } from 'node:crypto'
import { RedisClient } from 'bun'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../config/config.ts'
import type { Claim, Limiter, Verdict } from './limits.ts'
import { MemoryLimiter } from './memory-limiter.ts'

/** Nobody answered in time. */
export class Silence extends Error {}

/** Fails if `answer` takes longer. The work goes on, and its later failure is nobody's. */
export async function within<T>(milliseconds: number, answer: Promise<T>, whose: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Silence(`${whose} did not answer in time`)), milliseconds)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
    answer.catch(() => undefined)
  }
}

/**
 * KEYS: one sorted set for each claim. ARGV: 'take', 'peek' or 'give back', a name for this request, then quota and window
 * of each claim. Returns {isAllowed, count, age of the oldest} for each claim, by the clock of Redis.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer, is_free = {}, true
for i, key in ipairs(KEYS) do
  local quota, window = tonumber(ARGV[1 + i * 2]), tonumber(ARGV[2 + i * 2])
  if ARGV[1] == 'give back' then redis.call('ZREM', key, ARGV[2]) end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. (now - window))
  local count = redis.call('ZCARD', key)
  if count >= quota then is_free = false end
  answer[i] = { count < quota and 1 or 0, count, 0 }
end
for i, key in ipairs(KEYS) do
  if is_free and ARGV[1] == 'take' then
    redis.call('ZADD', key, now, ARGV[2])
    redis.call('PEXPIRE', key, tonumber(ARGV[2 + i * 2]) + 1000)
    answer[i][2] = answer[i][2] + 1
  end
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if oldest[2] then answer[i][3] = now - tonumber(oldest[2]) else answer[i][3] = -1 end
end
return answer`

const SCRIPT_HASH = createHash('sha1').update(SCRIPT).digest('hex')

const OPTIONS = { connectionTimeout: 2_000, enableOfflineQueue: false }
const FOR_EVER = 2_147_483_647

const ANSWER_MS = 500
const TRY_EVERY_MS = 1_000

interface Options {
  url: string
  log: Log
  /** Used while Redis is unreachable: limits then hold for each process alone. */
  fallback: Limiter
  /** A monotonic clock, for tests. */
  now?: () => number
}

export class RedisLimiter implements Limiter {
  readonly #url: string
  #redis: RedisClient
  readonly #log: Log
  readonly #fallback: Limiter
  readonly #now: () => number
  #isClosed = false
  #isAway = false
  #tryAgainAt = 0

  constructor({ url, log, fallback, now = () => performance.now() }: Options) {
    this.#url = url
    this.#redis = newClient(url)
    this.#log = log
    this.#fallback = fallback
    this.#now = now
  }

  /** Tries once with a separate client, because the permanent client retries forever, as it must after a lost connection. */
  async connect(): Promise<void> {
    const once = new RedisClient(this.#url, { ...OPTIONS, autoReconnect: false })
    try {
      await once.connect()
    } finally {
      once.close()
    }
    await this.#redis.connect()
  }

  take = (claims: readonly Claim[]): Promise<Verdict[]> =>
    this.#run({ mode: 'take', claims, name: randomUUID() }, () => this.#fallback.take(claims))

  peek = (claims: readonly Claim[]): Promise<Verdict[]> =>
    this.#run({ mode: 'peek', claims, name: '' }, () => this.#fallback.peek(claims))

  async giveBack(claims: readonly Claim[], verdicts: readonly Verdict[]): Promise<Verdict[]> {
    const name = verdicts[0]?.receipt
    if (typeof name === 'number') return this.#fallback.giveBack(claims, verdicts)
    // Requests counted by Redis stay counted while Redis is unreachable.
    return this.#run({ mode: 'give back', claims, name: name ?? '' }, () => [...verdicts])
  }

  close(): void {
    this.#isClosed = true
    this.#redis.close()
  }

  async #run(command: Command, otherwise: () => Promise<Verdict[]> | Verdict[]): Promise<Verdict[]> {
    // While Redis is unreachable, one request a second tries it again; the others use the fallback at once.
    const now = this.#now()
    if (this.#isAway && now < this.#tryAgainAt) return otherwise()
    this.#tryAgainAt = now + TRY_EVERY_MS
    const [redis, wasAway] = [this.#redis, this.#isAway]
    try {
      // A Redis that accepts a command and does not answer counts as unreachable, too.
      const answer = await within(ANSWER_MS, this.#evaluate(command), 'Redis')
      if (this.#isAway) this.#log.info('Redis is reachable again: servers share rate limits')
      this.#isAway = false
      return command.claims.map((claim, i) => toVerdict(claim, answer[i] ?? [0, 0, 0], command.name))
    } catch (error) {
      if (!this.#isAway)
        this.#log.error({ err: error }, 'Redis is unreachable: each server enforces rate limits on its own')
      this.#isAway = true
      // Replace at the second silence only: a Redis that paused for a moment still answers on its old connection.
      if (wasAway && error instanceof Silence) this.#replace(redis)
      return otherwise()
    }
  }

  /** A connection that died silently would end by itself only after minutes. Closing it fails its commands now. */
  #replace(silent: RedisClient): void {
    if (this.#isClosed || this.#redis !== silent) return
    this.#redis = newClient(this.#url)
    this.#redis.connect().catch(() => undefined)
    silent.close()
  }

  async #evaluate({ mode, claims, name }: Command): Promise<[number, number, number][]> {
    const keys = claims.map((claim) => `tossup:{limit}:${claim.quota.policy}:${textOf(claim)}`)
    const limits = claims.flatMap(({ quota }) => [String(quota.quota), String(quota.windowSeconds * 1_000)])
    const rest = [String(keys.length), ...keys, mode, name, ...limits]
    try {
      return await this.#redis.send('EVALSHA', [SCRIPT_HASH, ...rest])
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error
      return await this.#redis.send('EVAL', [SCRIPT, ...rest])
    }
  }
}

const newClient = (url: string): RedisClient => new RedisClient(url, { ...OPTIONS, maxRetries: FOR_EVER })

interface Command {
  readonly mode: 'take' | 'peek' | 'give back'
  readonly claims: readonly Claim[]
  /** The member name of this request in each sorted set. */
  readonly name: string
}

function toVerdict({ quota }: Claim, [allowed, count, age]: [number, number, number], receipt: string): Verdict {
  return {
    isAllowed: allowed === 1,
    remaining: Math.max(0, quota.quota - count),
    resetSeconds: age < 0 ? quota.windowSeconds : Math.max(1, Math.ceil((quota.windowSeconds * 1_000 - age) / 1_000)),
    receipt,
  }
}

function textOf({ key, within }: Claim): string {
  const text = typeof key === 'string' ? key : Buffer.from('number' in key ? key.hash() : key).toString('base64url')
  return within === undefined ? text : `${within}:${text}`
}

export async function openLimiter({ redisUrl }: Config, log: Log): Promise<{ limiter: Limiter; close: () => void }> {
  const memory = new MemoryLimiter()
  if (!redisUrl) return { limiter: memory, close: () => undefined }
  const redis = new RedisLimiter({ url: redisUrl, log, fallback: memory })
  try {
    await redis.connect()
  } catch (error) {
    redis.close()
    throw new PlainFailure(`Cannot use REDIS_URL: ${reasonOf(error)}.`, { cause: error })
  }
  return { limiter: redis, close: () => redis.close() }
}
