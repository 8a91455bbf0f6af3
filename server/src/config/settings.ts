// The catalogue of settings: `config.ts` reads them, and `npm run facts` writes their table in docs/guides/settings.md.

import type { z } from 'zod'
import { ROLES } from '../base/roles.ts'
import {
  addressRanges,
  anyText,
  backupPlace,
  duration,
  flag,
  integer,
  oneLine,
  oneOf,
  origin,
  ports,
  postgresUrl,
  s3Place,
  secrets,
  urlWith,
  webAddress,
} from './setting-kinds.ts'

export interface Setting<Value = unknown> {
  /** The environment variable. */
  readonly name: string
  /** A readable description, shown in the guide to settings. */
  readonly meaning: string
  readonly kind: z.ZodType
  /** The value if the variable is not set, or blank. */
  readonly fallback: Value
  /** Shown in the guide instead of the fallback. */
  readonly shownDefault?: string
}

type Definition<Value> = Omit<Setting, 'kind' | 'fallback'> & { readonly kind: z.ZodType<Value> }

const setting = <Value>(definition: Definition<Value> & { readonly fallback: NoInfer<Value> }): Setting<Value> =>
  definition

/** A setting whose value is null if the variable is not set. */
const optional = <Value>(definition: Definition<Value> & { readonly shownDefault: string }): Setting<Value | null> => ({
  ...definition,
  fallback: null,
})

const MOST = 1_000_000

/** In the order of the table in the guide. */
export const settings = {
  host: setting({
    name: 'HOST',
    meaning: 'The address to listen on.',
    kind: anyText,
    fallback: '127.0.0.1',
  }),
  port: setting({
    name: 'PORT',
    meaning: 'The port to listen on; `0` picks a free port.',
    kind: integer(0, 65_535),
    fallback: 3000,
  }),
  publicUrl: optional({
    name: 'PUBLIC_URL',
    meaning: 'The origin at which clients reach the service.',
    kind: origin,
    shownDefault: 'from `HOST` and `PORT`',
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    meaning: 'The folder of the SQLite database, the pictures and `secret.key`.',
    kind: anyText,
    fallback: './data',
  }),
  databaseUrl: optional({
    name: 'DATABASE_URL',
    meaning:
      'PostgreSQL 15 or newer, as `postgres://…`. Of several hosts, as `postgres://USER@a:5432,b:5432/db`, the one that accepts writes is used.',
    kind: postgresUrl,
    shownDefault: 'SQLite in `DATA_DIR`',
  }),
  databaseDirectUrl: optional({
    name: 'DATABASE_DIRECT_URL',
    meaning: 'The same database without a pooler, for LISTEN, migrations, backups and restores.',
    kind: postgresUrl,
    shownDefault: '`DATABASE_URL`',
  }),
  databasePool: setting({
    name: 'DATABASE_POOL',
    meaning: 'The maximum number of PostgreSQL connections per process; votes and notices have one more each.',
    kind: integer(2, 1_000),
    fallback: 12,
  }),
  databasePrepare: setting({
    name: 'DATABASE_PREPARE',
    meaning:
      '`false` sends no prepared statements: for PgBouncer in transaction mode before 1.21, or with `max_prepared_statements = 0`.',
    kind: flag,
    fallback: true,
  }),
  redisUrl: optional({
    name: 'REDIS_URL',
    meaning: 'The Redis through which several servers share their rate limits.',
    kind: urlWith('redis://', 'rediss://'),
    shownDefault: 'memory',
  }),
  s3: optional({
    name: 'S3_URL',
    meaning:
      'The bucket for pictures, as `s3://KEY:SECRET@host/bucket?region=REGION`: see [pictures](docs/guides/pictures.md).',
    kind: s3Place,
    shownDefault: '`DATA_DIR`',
  }),
  filesUrl: optional({
    name: 'FILES_URL',
    meaning: 'The public URL of the pictures, if a CDN serves them.',
    kind: webAddress,
    shownDefault: 'from `PUBLIC_URL`',
  }),
  /** The first secret wraps the data keys; the others can still open keys that were wrapped before. */
  secretKeys: setting({
    name: 'SECRET_KEY',
    meaning:
      'The secret that encrypts the data keys: at least 32 characters, required with PostgreSQL. To change it, start once with `new,old`, then with `new`. The old secret can be the content of `secret.key` in `DATA_DIR`.',
    kind: secrets,
    fallback: [],
    shownDefault: 'generated once, in `DATA_DIR`',
  }),
  backupPlace: optional({
    name: 'BACKUP_URL',
    meaning:
      'Where the server makes backups by itself: a folder, or a bucket in the form of `S3_URL`. See [backups](docs/guides/backup.md).',
    kind: backupPlace,
    shownDefault: 'off',
  }),
  backupEvery: setting({
    name: 'BACKUP_EVERY',
    meaning: 'The time between two backups in `BACKUP_URL`, such as `30m`, `6h` or `1d`.',
    kind: duration,
    fallback: '1d',
  }),
  backupsKept: setting({
    name: 'BACKUP_KEEP',
    meaning: 'How many backups stay in `BACKUP_URL`; older ones are removed after the next success.',
    kind: integer(1, 10_000),
    fallback: 7,
  }),
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    meaning: 'Comma-separated addresses or networks of proxies whose `X-Forwarded-For` is trusted.',
    kind: addressRanges,
    fallback: [],
    shownDefault: 'none',
  }),
  votesPerMinute: setting({
    name: 'VOTES_PER_MINUTE',
    meaning: 'The rate limit `votes`, per device.',
    kind: integer(1, MOST),
    fallback: 10,
  }),
  networkVotesPerMinute: setting({
    name: 'NETWORK_VOTES_PER_MINUTE',
    meaning:
      'Votes a minute from one network (an IPv4 address or a /64 of IPv6) on one poll: the rate limit `network-votes`. Wider networks may send 4 and 16 times as many. The limit `refused-votes`, of votes from one network that are malformed or name no poll, is the same number. `0` disables all of them.',
    kind: integer(0, MOST),
    fallback: 120,
  }),
  networkBrandVotesPerMinute: setting({
    name: 'NETWORK_BRAND_VOTES_PER_MINUTE',
    meaning:
      'The rate limit `network-brand-votes`, per network and brand; wider networks have 4 and 16 times as many. `0` disables it.',
    kind: integer(0, MOST),
    fallback: 600,
  }),
  tokensPerMinute: setting({
    name: 'TOKENS_PER_MINUTE',
    meaning: 'The rate limit `tokens`, per API key.',
    kind: integer(1, MOST),
    fallback: 30,
  }),
  brandWritesPerMinute: setting({
    name: 'BRAND_WRITES_PER_MINUTE',
    meaning: 'The rate limit `brand-writes`, per app or person; `0` disables it.',
    kind: integer(0, MOST),
    fallback: 300,
  }),
  brandPollsPerDay: setting({
    name: 'BRAND_POLLS_PER_DAY',
    meaning: 'The quota `brand-polls`: polls that a brand may create in 24 hours; `0` disables it.',
    kind: integer(0, 10_000),
    fallback: 0,
  }),
  accessTokenSeconds: setting({
    name: 'ACCESS_TOKEN_SECONDS',
    meaning: 'The lifetime of an access token in seconds, at most 3600.',
    kind: integer(1, 3_600),
    fallback: 900,
  }),
  streams: setting({
    name: 'STREAMS',
    meaning:
      'The maximum number of open live streams in this process; keep it below the limit of open files (`ulimit -n`).',
    kind: integer(1, MOST),
    fallback: 15_000,
  }),
  networkStreams: setting({
    name: 'NETWORK_STREAMS',
    meaning: 'The maximum number of open live streams per network; `0` disables the limit.',
    kind: integer(0, MOST),
    fallback: 1_000,
  }),
  metricsPort: optional({
    name: 'METRICS_PORT',
    meaning: 'The port of `/metrics`, on `HOST`: see [watching a server](docs/guides/watching.md).',
    kind: integer(1, 65_535),
    shownDefault: 'off',
  }),
  webhookPorts: setting({
    name: 'WEBHOOK_PORTS',
    meaning: 'The ports allowed for webhooks, comma-separated.',
    kind: ports,
    fallback: [443, 8443],
  }),
  isPrivateWebhookAllowed: setting({
    name: 'WEBHOOK_ALLOW_PRIVATE',
    meaning: 'For development only: allow webhooks on private addresses, on any port and over http.',
    kind: flag,
    fallback: false,
  }),
  smtpUrl: optional({
    name: 'SMTP_URL',
    meaning:
      'The mail server for invitations and sign-in links, as `smtp://USER:PASSWORD@host:587` or `smtps://…`: see [people](docs/guides/people.md).',
    kind: urlWith('smtp://', 'smtps://'),
    shownDefault: 'no mail',
  }),
  mailFrom: optional({
    name: 'MAIL_FROM',
    meaning: 'The sender of mails, as `Tossup <polls@example.com>`.',
    kind: oneLine,
    shownDefault: '`tossup@` and the host of `PUBLIC_URL`',
  }),
  oidcIssuer: optional({
    name: 'OIDC_ISSUER',
    meaning:
      'The provider of OpenID Connect with which members can sign in, as `https://accounts.example.com`: see [people](docs/guides/people.md).',
    kind: webAddress,
    shownDefault: 'none',
  }),
  oidcClientId: optional({
    name: 'OIDC_CLIENT_ID',
    meaning: 'The id of this service at that provider.',
    kind: anyText,
    shownDefault: 'none',
  }),
  oidcClientSecret: optional({
    name: 'OIDC_CLIENT_SECRET',
    meaning: 'The secret of this service at that provider.',
    kind: anyText,
    shownDefault: 'none',
  }),
  oidcDefaultRole: optional({
    name: 'OIDC_DEFAULT_ROLE',
    meaning:
      'The role of somebody who signs in with the provider without an invitation, where the service has one brand: `owner`, `editor` or `analyst`.',
    kind: oneOf(ROLES),
    shownDefault: 'none: they are refused',
  }),
  drainSeconds: setting({
    name: 'DRAIN_SECONDS',
    meaning: 'Seconds to serve on after SIGTERM while `/readyz` says 503, so that a load balancer notices.',
    kind: integer(0, 600),
    fallback: 0,
  }),
  isDemo: setting({
    name: 'DEMO',
    meaning: 'Create a demo brand in an empty database.',
    kind: flag,
    fallback: false,
    shownDefault: '`false` (`npm start`: `true`)',
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    meaning:
      'The lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. The log has one JSON object per line, on standard error.',
    kind: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    fallback: 'info',
    shownDefault: '`info` (`npm start`: `warn`)',
  }),
}

export type SettingKey = keyof typeof settings

export type SettingValues = {
  readonly [Key in SettingKey]: (typeof settings)[Key] extends Setting<infer Value> ? Value : never
}

/** Variables of other programs. Bun would send such a token with requests to S3_URL, to which it does not belong. */
export const FOREIGN_S3_TOKENS = ['S3_SESSION_TOKEN', 'AWS_SESSION_TOKEN'] as const
