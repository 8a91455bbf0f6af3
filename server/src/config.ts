import ipaddr from 'ipaddr.js'
import { PlainFailure } from './base/errors.ts'
import { readS3Url, type S3Place } from './base/s3-url.ts'

export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

export interface Config {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly redisUrl: string | null
  readonly s3: S3Place | null
  /** What stands before the keys of files, without a slash at its end; null: we serve them ourselves. */
  readonly filesUrl: string | null
  /** The first wraps the data keys; the others may still open them. Empty: a key is kept in dataDir. */
  readonly secretKeys: readonly string[]
  readonly trustedProxies: readonly AddressRange[]
  readonly isDemo: boolean
  readonly votesPerMinute: number
  readonly networkVotesPerMinute: number
  readonly tokensPerMinute: number
  readonly accessTokenSeconds: number
  /** Open at once in this process, and from one network; the second may be 0, which is off. */
  readonly streams: number
  readonly networkStreams: number
  /** Null is off. */
  readonly metricsPort: number | null
  /** For development: private addresses, any port, and http. */
  readonly isPrivateWebhookAllowed: boolean
  readonly webhookPorts: readonly number[]
  readonly logLevel: string
}

type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readConfig(environment: Environment = process.env): Config {
  const read = reader(environment)
  const host = read.text('HOST', '127.0.0.1')
  const port = read.integer('PORT', { fallback: 3000, least: 0, most: 65_535 })
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const secretKeys = read.secretKeys('SECRET_KEY')
  if (databaseUrl && secretKeys.length === 0) wrong('SECRET_KEY', 'is required with DATABASE_URL')
  return Object.freeze({
    host,
    port,
    publicUrl: read.origin('PUBLIC_URL') ?? localUrl(host, port),
    dataDir: read.text('DATA_DIR', './data'),
    databaseUrl,
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    s3: read.s3('S3_URL'),
    filesUrl: read.address('FILES_URL'),
    secretKeys,
    trustedProxies: read.ranges('TRUSTED_PROXIES'),
    isDemo: read.flag('DEMO', false),
    votesPerMinute: read.integer('VOTES_PER_MINUTE', { fallback: 10, least: 1, most: 1_000_000 }),
    networkVotesPerMinute: read.integer('NETWORK_VOTES_PER_MINUTE', { fallback: 120, least: 0, most: 1_000_000 }),
    tokensPerMinute: read.integer('TOKENS_PER_MINUTE', { fallback: 30, least: 1, most: 1_000_000 }),
    accessTokenSeconds: read.integer('ACCESS_TOKEN_SECONDS', { fallback: 900, least: 1, most: 3_600 }),
    streams: read.integer('STREAMS', { fallback: 15_000, least: 1, most: 1_000_000 }),
    networkStreams: read.integer('NETWORK_STREAMS', { fallback: 1_000, least: 0, most: 1_000_000 }),
    metricsPort: read.integerOrNull('METRICS_PORT', { least: 1, most: 65_535 }),
    isPrivateWebhookAllowed: read.flag('WEBHOOK_ALLOW_PRIVATE', false),
    webhookPorts: read.ports('WEBHOOK_PORTS', [443, 8443]),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  })
}

export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function wrong(name: string, problem: string): never {
  throw new PlainFailure(`${name} ${problem}.`)
}

function reader(environment: Environment) {
  const raw = (name: string) => environment[name]?.trim() || undefined
  return {
    text: (name: string, fallback: string) => raw(name) ?? fallback,

    integer(name: string, { fallback, ...range }: { fallback: number; least: number; most: number }): number {
      return this.integerOrNull(name, range) ?? fallback
    },

    integerOrNull(name: string, { least, most }: { least: number; most: number }): number | null {
      const text = raw(name)
      if (text === undefined) return null
      const value = Number(text)
      if (!/^\d+$/.test(text) || value < least || value > most) {
        wrong(name, `must be a whole number from ${least} to ${most}`)
      }
      return value
    },

    ports(name: string, fallback: readonly number[]): readonly number[] {
      const text = raw(name)
      if (text === undefined) return fallback
      const ports = text.split(',').map((port) => (/^ *\d{1,5} *$/.test(port) ? Number(port) : 0))
      if (ports.some((port) => port < 1 || port > 65_535)) wrong(name, 'must be ports (443,8443), parted by commas')
      return ports
    },

    flag(name: string, fallback: boolean): boolean {
      const text = raw(name)
      if (text === undefined) return fallback
      if (text !== 'true' && text !== 'false') wrong(name, 'must be true or false')
      return text === 'true'
    },

    oneOf(name: string, allowed: readonly string[], fallback: string): string {
      const text = raw(name) ?? fallback
      if (!allowed.includes(text)) wrong(name, `must be one of ${allowed.join(', ')}`)
      return text
    },

    /** The value itself is never repeated: it may hold a password. */
    url(name: string, protocols: readonly string[]): string | null {
      const text = raw(name)
      if (text === undefined) return null
      if (!URL.canParse(text) || !protocols.some((protocol) => text.startsWith(`${protocol}//`))) {
        wrong(name, `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
      }
      return text
    },

    origin(name: string): string | null {
      const text = this.url(name, ['http:', 'https:'])
      if (text === null) return null
      const { origin, href } = new URL(text)
      if (href !== `${origin}/`) wrong(name, 'must be an origin, as https://polls.example.com, and nothing behind it')
      return origin
    },

    address(name: string): string | null {
      const text = this.url(name, ['http:', 'https:'])
      if (text === null) return null
      const { origin, pathname, href } = new URL(text)
      if (href !== origin + pathname)
        wrong(name, 'must be an address, as https://cdn.example.com/pictures, and no more')
      return href.replace(/\/+$/, '')
    },

    s3(name: string): S3Place | null {
      const text = raw(name)
      if (text === undefined) return null
      const place = readS3Url(text)
      if (typeof place === 'string') return wrong(name, place)
      // Bun would send it along, and the keys in the URL are not the ones that it belongs to.
      const token = ['S3_SESSION_TOKEN', 'AWS_SESSION_TOKEN'].find((other) => raw(other) !== undefined)
      return token ? wrong(name, `cannot be used while ${token} is set`) : place
    },

    secretKeys(name: string): string[] {
      const keys =
        raw(name)
          ?.split(',')
          .map((key) => key.trim()) ?? []
      if (keys.some((key) => key.length < 32)) wrong(name, 'must hold at least 32 characters')
      return keys
    },

    ranges(name: string): AddressRange[] {
      const entries = (raw(name) ?? '').split(',').map((entry) => entry.trim())
      return entries
        .filter((entry) => entry !== '')
        .map((entry) => {
          const single = ipaddr.isValid(entry) ? `${entry}/${entry.includes(':') ? 128 : 32}` : entry
          if (!ipaddr.isValidCIDR(single)) wrong(name, 'must be addresses or networks (10.0.0.0/8), parted by commas')
          return ipaddr.parseCIDR(single)
        })
    },
  }
}
