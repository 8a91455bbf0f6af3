import { migrate } from '../src/db/migrate.ts'
import { openSqlite } from '../src/db/sqlite/engine.ts'
import { watchConnections } from './connection-use.ts'
import { fingerprintOf } from './emptied-database.ts'
import { engines } from './engines.ts'
import { migrateEmpty } from './migrate-empty.ts'
import { ADMIN_URL, createDatabase } from './own-database.ts'
import { dropFree } from './template-copies.ts'

// Started by scripts/test-template.mjs with a folder: migrated databases that test services copy, until the standard input ends.
const [folder = '.'] = process.argv.slice(2)
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

// Stays open, so that the migration stays in the log, as in the folder of a service that has migrated its own.
const sqlite = openSqlite(folder)
await migrate(sqlite, Date.now())
say({ sqlite: folder })

if (!engines.includes('postgres')) {
  say({})
  await Bun.stdin.text()
  process.exit()
}
const { url, drop } = await createDatabase(ADMIN_URL, { mustBeEmpty: true })
try {
  await migrateEmpty(url)
  const connections = await watchConnections()
  const name = new URL(url).pathname.slice(1)
  say({ name, fingerprint: await fingerprintOf(url), room: connections.room })
  await Bun.stdin.text()
  say(await connections.end())
  await dropFree(ADMIN_URL, name)
} finally {
  await drop()
  await sqlite.close()
}
process.exit()
