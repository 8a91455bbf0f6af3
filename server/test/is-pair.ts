import type { EngineName } from './engines.ts'
import oneServer from './needs-one-server.json' with { type: 'json' }

const isWanted = process.env['TEST_SERVERS'] === '2'
const needsOne = () => oneServer.some(({ file, title }) => title === undefined && Bun.main.endsWith(`/${file}`))
/** With these a test makes several servers itself, or looks at what one of them has for itself. */
const FOR_ONE = ['DATABASE_URL', 'DATA_DIR', 'METRICS_PORT'] as const

interface Wanted {
  readonly settings?: Readonly<Record<string, string>>
  readonly database?: unknown
  readonly keepsData?: boolean
  readonly role?: unknown
  readonly disturb?: unknown
}

/** Whether a test service is two servers: with `TEST_SERVERS=2`, on PostgreSQL, unless the test is about one server. */
export const isPair = (engine: EngineName, { settings = {}, database, keepsData, role, disturb }: Wanted): boolean =>
  isWanted &&
  !needsOne() &&
  engine === 'postgres' &&
  !(database || keepsData || role || disturb) &&
  FOR_ONE.every((name) => settings[name] === undefined)
