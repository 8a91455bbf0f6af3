import { describe, expect, test } from 'bun:test'
import { createLog } from '../base/log.ts'
import { misspelledSettings, readConfig } from './config.ts'
import { type Setting, type SettingKey, settings } from './settings.ts'

const entries = Object.entries(settings) as [SettingKey, Setting][]

describe('the catalogue of settings', () => {
  test('names each variable once, in capitals, and says what it means in a sentence', () => {
    expect(new Set(entries.map(([, { name }]) => name)).size).toBe(entries.length)
    for (const [, { name, meaning }] of entries) {
      expect(name).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/)
      expect(meaning).toMatch(/^\S.*\.$/)
    }
  })

  const isWritable = (fallback: unknown) =>
    fallback !== null && String(fallback) !== '' && JSON.stringify(fallback) !== '{}'

  test.each(entries.filter(([, { fallback }]) => isWritable(fallback)))(
    '%s has a default that may also be given',
    (_, { kind, fallback }) => expect(kind.parse(String(fallback))).toEqual(fallback),
  )

  /** Addresses that everybody may read. */
  const open = ['PUBLIC_URL', 'FILES_URL']
  const secret = entries.map(([, { name }]) => name).filter((name) => /_(?:URL|SECRET|KEY|HEADERS)$/.test(name))

  test.each(secret.filter((name) => !open.includes(name)))('%s is redacted in the log', (name) => {
    const lines: string[] = []
    createLog('info', { write: (line) => void lines.push(line) }).info({ [name]: 'do-not-print-me' })
    expect(JSON.parse(lines.join(''))).toMatchObject({ [name]: '[redacted]' })
  })

  test('is all that the server is configured by', () => {
    const { database, hasPublicUrl, ...config } = readConfig({})
    expect(Object.keys(config).sort()).toEqual(
      Object.keys(settings)
        .filter((key) => !key.startsWith('database'))
        .sort(),
    )
    expect(database).toEqual({ engine: 'sqlite', dataDir: './data' })
    expect(hasPublicUrl).toBe(false)
  })
})

describe('a variable with a name close to a setting', () => {
  test.each([
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['SECRET_KEYS', 'SECRET_KEY'],
    ['VOTE_PER_MINUTE', 'VOTES_PER_MINUTE'],
    ['NETWORK_VOTE_PER_MINUTE', 'NETWORK_VOTES_PER_MINUTE'],
    ['WEBHOOK_PORT', 'WEBHOOK_PORTS'],
    ['PUBLIC_URLS', 'PUBLIC_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('%s was probably meant as %s', (given, meant) => {
    expect(misspelledSettings({ [given]: 'x' })).toEqual([{ given, meant }])
  })

  test.each([
    ...entries.map(([, { name }]) => name),
    'HOSTNAME',
    'HOME',
    'DB_URL',
    'API_URL',
    'REDIS_PORT',
    'REDIS_SERVICE_HOST',
    'S3_SESSION_TOKEN',
    'NODE_ENV',
    'TEST_DATABASE_URL',
    'npm_config_loglevel',
    'TERM_PROGRAM',
    'XDG_DATA_DIRS',
  ])('%s is left alone', (name) => {
    expect(misspelledSettings({ [name]: 'x' })).toEqual([])
  })
})
