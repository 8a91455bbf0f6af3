import { postgresUrl } from './postgres-url.ts'
import { optional, setting } from './setting.ts'
import { flag, integer } from './setting-kinds.ts'

/** How the service reaches PostgreSQL: a part of the catalogue of settings. */
export const databaseSettings = {
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
}
