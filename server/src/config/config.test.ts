import { describe, expect, test } from 'bun:test'
import { PlainFailure } from '../base/errors.ts'
import { readConfig } from './config.ts'

const SECRET = 'never-printed'
const LONG_SECRET = 'never-printed and long enough for a secret key'

const failureOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof PlainFailure) return error.message
    throw error
  }
  throw new Error('this was taken')
}

describe('the environment', () => {
  test('is not needed', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      hasPublicUrl: false,
      dataDir: './data',
      database: { engine: 'sqlite', dataDir: './data' },
      redisUrl: null,
      s3: null,
      filesUrl: null,
      secretKeys: [],
      trustedProxies: [],
      drainSeconds: 0,
      isDemo: false,
      votesPerMinute: 10,
      networkVotesPerMinute: 120,
      networkBrandVotesPerMinute: 600,
      tokensPerMinute: 30,
      brandWritesPerMinute: 300,
      brandPollsPerDay: 0,
      accessTokenSeconds: 900,
      streams: 15_000,
      networkStreams: 1_000,
      metricsPort: null,
      backupPlace: null,
      backupEvery: '1d',
      backupsKept: 7,
      isPrivateWebhookAllowed: false,
      webhookPorts: [443, 8443],
      smtpUrl: null,
      mailFrom: null,
      oidcIssuer: null,
      oidcClientId: null,
      oidcClientSecret: null,
      oidcDefaultRole: null,
      logLevel: 'info',
    })
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })

  test('an empty or blank variable counts as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', SECRET_KEY: '', DEMO: '' })).toEqual(readConfig({}))
  })

  test('sets where the service is reached', () => {
    expect(readConfig({ HOST: '0.0.0.0', PORT: '80' }).publicUrl).toBe('http://localhost:80')
    expect(readConfig({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000')
    expect(readConfig({ PUBLIC_URL: 'https://polls.example/' }).publicUrl).toBe('https://polls.example')
    for (const more of ['at', '?a', '#f', 'at?b=c']) {
      expect(() => readConfig({ PUBLIC_URL: `https://polls.example/${more}` })).toThrow('PUBLIC_URL must be an origin')
    }
    expect(() => readConfig({ PUBLIC_URL: 'https://u:p@polls.example' })).toThrow('PUBLIC_URL must be an origin')
  })

  test('accepts IPv4 and IPv6 addresses and networks as trusted proxies', () => {
    const ranges = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1,2001:db8::/32, ::1' }).trustedProxies
    expect(ranges.map(([address, bits]) => `${address}/${bits}`)).toEqual([
      '10.0.0.0/8',
      '192.0.2.1/32',
      '2001:db8::/32',
      '::1/128',
    ])
  })

  test('accepts the ports that webhooks may use', () => {
    expect(readConfig({ WEBHOOK_PORTS: '443, 9443' }).webhookPorts).toEqual([443, 9443])
  })

  test('accepts several secrets, of which the first wraps the data keys', () => {
    expect(readConfig({ SECRET_KEY: `${LONG_SECRET}, ${LONG_SECRET}2` }).secretKeys).toEqual([
      LONG_SECRET,
      `${LONG_SECRET}2`,
    ])
  })

  test.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000.5'],
    ['PORT', 'http'],
    ['PUBLIC_URL', 'tossup.example'],
    ['PUBLIC_URL', 'ftp://tossup.example'],
    ['DATABASE_URL', `mysql://root:${SECRET}@127.0.0.1/x`],
    ['DATABASE_URL', `postgres:${SECRET}`],
    ['DATABASE_URL', `postgres://u:${SECRET}@[::1/x`],
    ['DATABASE_DIRECT_URL', `postgres://u:${SECRET}@127.0.0.1/x`],
    ['DATABASE_POOL', '1'],
    ['DATABASE_POOL', 'many'],
    ['DATABASE_PREPARE', 'off'],
    ['DRAIN_SECONDS', '-1'],
    ['DRAIN_SECONDS', '601'],
    ['REDIS_URL', `http://:${SECRET}@127.0.0.1`],
    ['S3_URL', `https://AK:${SECRET}@s3.example/bucket`],
    ['S3_URL', `s3://AK:${SECRET}@s3.example`],
    ['S3_URL', `s3://AK:${SECRET}@s3.example/bucket?acl=public`],
    ['FILES_URL', 'cdn.example'],
    ['FILES_URL', `https://u:${SECRET}@cdn.example`],
    ['FILES_URL', `https://cdn.example/pictures?key=${SECRET}`],
    ['SECRET_KEY', SECRET],
    ['SECRET_KEY', `${LONG_SECRET},${SECRET}`],
    ['SECRET_KEY', ','],
    ['TRUSTED_PROXIES', '10.0.0.0/8, proxy.internal'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['DEMO', 'yes'],
    ['VOTES_PER_MINUTE', '0'],
    ['NETWORK_VOTES_PER_MINUTE', '-5'],
    ['NETWORK_BRAND_VOTES_PER_MINUTE', 'many'],
    ['TOKENS_PER_MINUTE', '1e3'],
    ['ACCESS_TOKEN_SECONDS', '3601'],
    ['ACCESS_TOKEN_SECONDS', '0'],
    ['STREAMS', '0'],
    ['STREAMS', 'many'],
    ['NETWORK_STREAMS', '-1'],
    ['METRICS_PORT', '0'],
    ['METRICS_PORT', '65536'],
    ['METRICS_PORT', 'on'],
    ['WEBHOOK_ALLOW_PRIVATE', '1'],
    ['WEBHOOK_PORTS', '443;8443'],
    ['WEBHOOK_PORTS', '443,'],
    ['WEBHOOK_PORTS', '0'],
    ['WEBHOOK_PORTS', '65536'],
    ['LOG_LEVEL', 'verbose'],
  ])('%s=%s is refused with its name and without its value', (name, value) => {
    const message = failureOf({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name} [^\\n]+\\.$`))
    expect(message).not.toContain(SECRET)
  })

  test('sets where files are stored and how they are reached', () => {
    const { s3 } = readConfig({ S3_URL: `s3://AK:${SECRET}@s3.example/bucket/pictures` })
    expect(s3).toMatchObject({ bucket: 'bucket', folder: 'pictures/', secretAccessKey: SECRET })
    for (const end of ['', '/']) {
      expect(readConfig({ FILES_URL: `https://cdn.example/pictures${end}` }).filesUrl).toBe(
        'https://cdn.example/pictures',
      )
      expect(readConfig({ FILES_URL: `https://cdn.example${end}` }).filesUrl).toBe('https://cdn.example')
    }
  })

  test('S3_URL stands alone: Bun would take the token of another key from the environment', () => {
    const url = `s3://AK:${SECRET}@s3.example/bucket`
    for (const name of ['AWS_SESSION_TOKEN', 'S3_SESSION_TOKEN']) {
      expect(failureOf({ S3_URL: url, [name]: SECRET })).toBe(`S3_URL cannot be used while ${name} is set.`)
      expect(readConfig({ [name]: SECRET }).s3).toBeNull()
    }
  })

  test('says which database holds the data', () => {
    const { database, dataDir } = readConfig({ DATA_DIR: '/var/lib/tossup' })
    expect([database, dataDir]).toEqual([{ engine: 'sqlite', dataDir: '/var/lib/tossup' }, '/var/lib/tossup'])
    const url = `postgres://u:${SECRET}@127.0.0.1/x`
    expect(readConfig({ DATABASE_URL: url, SECRET_KEY: LONG_SECRET })).toMatchObject({
      database: { engine: 'postgres', url, directUrl: url, poolSize: 12, isPreparing: true },
      dataDir: './data',
    })
    const { database: pooled } = readConfig({ DATABASE_URL: url, SECRET_KEY: LONG_SECRET, DATABASE_PREPARE: 'false' })
    expect(pooled).toMatchObject({ isPreparing: false })
  })

  test('DATABASE_URL needs SECRET_KEY', () => {
    expect(failureOf({ DATABASE_URL: `postgres://u:${SECRET}@127.0.0.1/x` })).toBe(
      'SECRET_KEY is required with DATABASE_URL.',
    )
  })
})
