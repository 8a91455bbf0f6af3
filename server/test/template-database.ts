import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/engine.ts'
import { watchConnections } from './connection-use.ts'
import { createDatabase } from './own-database.ts'

// Started by scripts/test-template.mjs: a migrated database that test services copy, until the standard input ends.
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const { url, drop } = await createDatabase()
try {
  const engine = openPostgres(url, () => undefined)
  await migrate(engine, Date.now())
  await engine.close()
  const connections = await watchConnections()
  say({ name: new URL(url).pathname.slice(1), room: connections.room })
  await Bun.stdin.text()
  say(await connections.end())
} finally {
  await drop()
}
process.exit()
