import pg from 'pg'
import { ADMIN_URL } from './own-database.ts'

const SAMPLE_MS = 250

// A service connects to a database of its process, and a process keeps one connection with the same prefix (`own-database.ts`).
const USES = `select count(*)::int as connections, (regexp_match(
    case when datname like 'tossup\\_test\\_%' then datname else application_name end,
    '^tossup_test_([0-9a-f]{6})'))[1] as owner
  from pg_stat_activity where backend_type in ('client backend', 'walsender') group by owner`

const ROOM = `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
  - count(*)::int as room from pg_stat_activity where backend_type in ('client backend', 'walsender')`

export interface ConnectionUse {
  /** The most connections that the server had at once. */
  readonly most: number
  /** The most that each test process had, by its pid. */
  readonly ofProcess: Readonly<Record<string, number>>
}

/** Counts the connections of test processes to PostgreSQL until `end` is called. */
export async function watchConnections() {
  const client = new pg.Client({ connectionString: ADMIN_URL })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ room: number }>(ROOM)
  const ofProcess: Record<string, number> = {}
  let most = 0
  const sample = async () => {
    const { rows: uses } = await client.query<{ connections: number; owner: string | null }>(USES)
    most = Math.max(
      most,
      uses.reduce((sum, { connections }) => sum + connections, 0),
    )
    for (const { connections, owner } of uses) {
      const key = String(Number.parseInt(owner ?? '0', 16))
      ofProcess[key] = Math.max(ofProcess[key] ?? 0, connections)
    }
  }
  await sample()
  // Real time: the connections of other processes. A sample that fails is left out.
  const samples = setInterval(() => void sample().catch(() => undefined), SAMPLE_MS)
  return {
    /** The number of free connections at the start. */
    room: rows[0]?.room ?? 0,
    async end(): Promise<ConnectionUse> {
      clearInterval(samples)
      await client.end()
      return { most, ofProcess }
    },
  }
}
