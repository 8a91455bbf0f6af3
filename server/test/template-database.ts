import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/engine.ts'
import { createDatabase } from './own-database.ts'

// Started by scripts/test-template.mjs: a migrated database that test services copy, until the standard input ends.
const { url, drop } = await createDatabase()
try {
  const engine = openPostgres(url, () => undefined)
  await migrate(engine, Date.now())
  await engine.close()
  process.stdout.write(`${new URL(url).pathname.slice(1)}\n`)
  await Bun.stdin.text()
} finally {
  await drop()
}
process.exit()
