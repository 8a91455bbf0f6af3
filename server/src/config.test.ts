import { describe, expect, test } from 'bun:test'
import { PlainFailure } from './base/errors.ts'
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
      dataDir: './data',
      databaseUrl: null,
      redisUrl: null,
      secretKeys: [],
      trustedProxies: [],
      isDemo: false,
      votesPerMinute: 10,
      networkVotesPerMinute: 120,
      tokensPerMinute: 30,
      accessTokenSeconds: 900,
      logLevel: 'info',
    })
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })

  test('an empty or blank variable is one that is not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', SECRET_KEY: '', DEMO: '' })).toEqual(readConfig({}))
  })

  test('says where the service is reached', () => {
    expect(readConfig({ HOST: '0.0.0.0', PORT: '80' }).publicUrl).toBe('http://localhost:80')
    expect(readConfig({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000')
    expect(readConfig({ PUBLIC_URL: 'https://polls.example/' }).publicUrl).toBe('https://polls.example')
    for (const more of ['at', '?a', '#f', 'at?b=c']) {
      expect(() => readConfig({ PUBLIC_URL: `https://polls.example/${more}` })).toThrow('PUBLIC_URL must be an origin')
    }
    expect(() => readConfig({ PUBLIC_URL: 'https://u:p@polls.example' })).toThrow('PUBLIC_URL must be an origin')
  })

  test('takes addresses and networks of both kinds as proxies', () => {
    const ranges = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1,2001:db8::/32, ::1' }).trustedProxies
    expect(ranges.map(([address, bits]) => `${address}/${bits}`)).toEqual([
      '10.0.0.0/8',
      '192.0.2.1/32',
      '2001:db8::/32',
      '::1/128',
    ])
  })

  test('takes several secrets, the first of which wraps', () => {
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
    ['REDIS_URL', `http://:${SECRET}@127.0.0.1`],
    ['SECRET_KEY', SECRET],
    ['SECRET_KEY', `${LONG_SECRET},${SECRET}`],
    ['SECRET_KEY', ','],
    ['TRUSTED_PROXIES', '10.0.0.0/8, proxy.internal'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['DEMO', 'yes'],
    ['VOTES_PER_MINUTE', '0'],
    ['NETWORK_VOTES_PER_MINUTE', '-5'],
    ['TOKENS_PER_MINUTE', '1e3'],
    ['ACCESS_TOKEN_SECONDS', '3601'],
    ['ACCESS_TOKEN_SECONDS', '0'],
    ['LOG_LEVEL', 'verbose'],
  ])('%s=%s is refused by its name, and the value not repeated', (name, value) => {
    const message = failureOf({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name} [^\\n]+\\.$`))
    expect(message).not.toContain(SECRET)
  })

  test('DATABASE_URL wants SECRET_KEY', () => {
    expect(failureOf({ DATABASE_URL: `postgres://u:${SECRET}@127.0.0.1/x` })).toBe(
      'SECRET_KEY is required with DATABASE_URL.',
    )
  })
})
