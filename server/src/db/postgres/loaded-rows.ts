import pg from 'pg'
import { PlainFailure } from '../../base/errors.ts'
import { textOfChunks } from '../../base/text.ts'
import type { DumpedSchema, RestoredParts } from '../loaded-parts.ts'
import { migrationScript } from '../migrate.ts'
import { CopyWriting } from './copy.ts'
import { postgresDialect } from './dialect.ts'
import { MIGRATION_LOCK } from './migration-locks.ts'
import { connectPatiently } from './patient-client.ts'

const quoted = (name: string): string => pg.escapeIdentifier(name)

/**
 * Fills an empty database, in one transaction: others see all of it or nothing. The schema is made by the migrations of the
 * dump; a server that starts later applies the newer ones.
 */
export async function loadPostgresRows(url: string, { migrations, tables }: DumpedSchema): Promise<RestoredParts> {
  const client = await connectPatiently(url)
  let copying: { table: string; writing: CopyWriting } | null = null

  async function endTable(): Promise<void> {
    const ended = copying
    copying = null
    await ended?.writing.finish()
  }

  async function takeRows(table: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    if (copying?.table !== table) {
      await endTable()
      const columns = tables.find(({ name }) => name === table)?.columns
      if (!columns) throw new PlainFailure(`The backup holds rows of "${table}", which is no table of it.`)
      const statement = `copy ${quoted(table)} (${columns.map(quoted).join(', ')}) from stdin`
      copying = { table, writing: new CopyWriting(client, statement) }
    }
    for await (const chunk of chunks) await copying.writing.write(chunk)
  }

  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await assertEmpty(client)
    await createSchema(client, migrations)
    // Migrations may have added rows, which are in the dump too.
    await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
  } catch (error) {
    await client.end()
    throw error
  }
  return {
    async take(name, chunks) {
      const [table = '', part] = name.split('/')
      if (part !== undefined) return takeRows(table, chunks)
      await endTable()
      await setCounters(client, JSON.parse(await textOfChunks(chunks)))
    },
    async ready() {
      await endTable()
      // Without statistics the checks would be planned for empty tables.
      await client.query('analyze')
      return {
        async select<Row>(query: string) {
          return (await client.query(query)).rows as Row[]
        },
      }
    },
    async commit() {
      // The servers that held these leases serve another database: the webhooks would wait for them.
      await client.query('update webhooks set leased_by = null, leased_until = null where leased_by is not null')
      await client.query('set local synchronous_commit to on')
      await client.query('commit')
    },
    close: () => client.end(),
  }
}

export async function isPostgresEmpty(url: string): Promise<boolean> {
  const client = await connectPatiently(url)
  try {
    return (await firstTable(client)) === null
  } finally {
    await client.end()
  }
}

async function firstTable(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_class
     where relkind in ('r', 'v', 'p') and relnamespace = current_schema()::regnamespace limit 1`,
  )
  return rows[0]?.relname ?? null
}

async function assertEmpty(client: pg.Client): Promise<void> {
  const table = await firstTable(client)
  if (table === null) return
  throw new PlainFailure(`The database of DATABASE_URL is not empty: it has ${table}. Restore into a new database.`)
}

async function createSchema(client: pg.Client, migrations: readonly string[]): Promise<void> {
  await client.query('create table migrations (name text primary key, applied_at bigint not null)')
  for (const name of migrations) {
    await client.query(migrationScript(name, { name: 'postgres', dialect: postgresDialect }))
  }
}

async function setCounters(client: pg.Client, counters: Record<string, number>): Promise<void> {
  for (const [place, last] of Object.entries(counters)) {
    const [table, column] = place.split('.')
    if (last > 0) await client.query('select setval(pg_get_serial_sequence($1, $2), $3)', [table, column, last])
  }
}
