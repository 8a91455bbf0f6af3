import { PlainFailure, reasonOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../config/config.ts'
import type { Limiter } from './limiter.ts'
import { MemoryLimiter } from './memory-limiter.ts'
import { RedisLimiter } from './redis-limiter.ts'

interface OpenedLimiter {
  readonly limiter: Limiter
  readonly close: () => void | Promise<void>
}

export async function openLimiter({ redisUrl }: Config, log: Log): Promise<OpenedLimiter> {
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
