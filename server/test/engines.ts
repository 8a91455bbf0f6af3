import { type EngineName, engineNames } from '../src/db/store.ts'
import { CITUS_URL } from './citus-database.ts'
import { ADMIN_URL, asAdmin } from './own-database.ts'

export type { EngineName } from '../src/db/store.ts'

/** On a busy machine. */
const CONNECT_MS = 10_000
const REDIS_URL = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

async function isThere(name: string, reach: () => Promise<unknown>): Promise<boolean> {
  try {
    await reach()
    return true
  } catch (error) {
    if (process.env['REQUIRE_SERVICES'] === '1')
      throw new Error(`${name} is required and does not answer`, { cause: error })
    process.stderr.write(`${name} does not answer: its tests are skipped\n`)
    return false
  }
}

async function pingRedis(): Promise<void> {
  const redis = new Bun.RedisClient(REDIS_URL, { connectionTimeout: CONNECT_MS, autoReconnect: false })
  await redis.connect()
  redis.close()
}

const hasPostgres = await isThere('PostgreSQL', () => asAdmin(ADMIN_URL, 'select 1'))

/** Set for files that have passed on the other engine. */
const onlyEngine = process.env['TEST_ENGINE']

/** The engines available on this machine. Database tests run on each of them. */
export const engines: readonly EngineName[] = engineNames.filter(
  (name) => (name !== 'postgres' || hasPostgres) && (onlyEngine ?? name) === name,
)

const sampleEngine = process.env['TEST_SAMPLE_ENGINE']

/**
 * For tests whose subject is not the database, such as refusals of every route, pictures and the client library. A whole
 * `npm test` runs them on SQLite, `npm run test:proof` on PostgreSQL, and every other run on both.
 */
export const sampleEngines = engines.some((engine) => engine === sampleEngine)
  ? engines.filter((engine) => engine === sampleEngine)
  : engines

/** Those that refuse votes by a trigger: Citus has none on distributed tables. */
export const enginesWithTriggers = engines.filter((engine) => engine === 'sqlite' || CITUS_URL === null)

export const redisUrl: string | null = (await isThere('Redis', pingRedis)) ? REDIS_URL : null
