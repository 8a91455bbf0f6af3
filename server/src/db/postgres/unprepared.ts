import type pg from 'pg'

/**
 * Sends every statement without its name. PgBouncer before 1.21 does not know prepared statements: in transaction mode the
 * next transaction may use another connection to PostgreSQL, where the name is unknown, or belongs to another client.
 */
export function withoutPreparing(client: pg.Client): pg.Client {
  const query = client.query.bind(client) as (config: unknown, ...rest: unknown[]) => unknown
  client.query = ((config: unknown, ...rest: unknown[]) => query(unnamed(config), ...rest)) as typeof client.query
  return client
}

function unnamed(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || !('name' in config)) return config
  const { name: _, ...statement } = config
  return statement
}
