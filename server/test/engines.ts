import { randomBytes } from 'node:crypto'
import pg from 'pg'

export type EngineName = 'sqlite' | 'postgres'

export const ADMIN_URL = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const REDIS_URL = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: ADMIN_URL, connectionTimeoutMillis: 3_000 })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A database of its own, so that runs beside each other see nothing of one another. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `tossup_test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name}`)
  const url = new URL(ADMIN_URL)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => asAdmin(`drop database if exists ${name} with (force)`) }
}

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
  const redis = new Bun.RedisClient(REDIS_URL, { connectionTimeout: 1_000, autoReconnect: false })
  await redis.connect()
  redis.close()
}

const hasPostgres = await isThere('PostgreSQL', () => asAdmin('select 1'))

/** The engines that this machine has: tests of the database run on each. */
export const engines: readonly EngineName[] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite']

export const redisUrl: string | null = (await isThere('Redis', pingRedis)) ? REDIS_URL : null
